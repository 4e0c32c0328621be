package io.tidemark.group;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * Keeps the log of the groups short as long as nothing compacts it: from time to time the state of
 * each group is written anew. When the last is committed, nothing before the first is needed.
 */
final class LogRewrite {
  private final long leastBytes;
  private final Deque<String> left = new ArrayDeque<>();
  private long written;
  private long threshold;
  private boolean began;
  private long from = -1;

  /**
   * @param leastBytes so much is written at least before it begins
   */
  LogRewrite(long leastBytes) {
    this.leastBytes = leastBytes;
    this.threshold = leastBytes;
  }

  void written(GroupRecord record) {
    written += record.estimatedBytes();
  }

  boolean isUnderWay() {
    return !left.isEmpty();
  }

  /** The next group that is to be written anew. */
  String next() {
    began = true;
    return left.poll();
  }

  /**
   * A batch is committed.
   *
   * @param groups all that there are
   * @return before which offset the log is needed no more, if that is known only now
   */
  OptionalLong appended(long baseOffset, Collection<String> groups) {
    if (began && from < 0) {
      from = baseOffset;
    }
    if (began && left.isEmpty()) {
      began = false;
      long needed = from;
      from = -1;
      threshold = Math.max(leastBytes, 2 * written);
      written = 0;
      return OptionalLong.of(needed);
    }
    if (!began && left.isEmpty() && written >= threshold) {
      written = 0;
      left.addAll(groups);
    }
    return OptionalLong.empty();
  }
}
