package io.tidemark.projection;

import io.tidemark.client.Start;
import io.tidemark.client.TopicPartition;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last record that a projection is done with, as its store of offsets has it: {@code 41@3}, or
 * {@code 41} without the epoch.
 *
 * @param offset from 0
 * @param leaderEpoch −1 when it is not known
 */
record StoredPosition(long offset, int leaderEpoch) {
  private static final int UNKNOWN = -1;
  private static final Pattern FORMAT = Pattern.compile("(\\d{1,18})(?:@(\\d{1,9}))?");

  StoredPosition {
    if (offset < 0 || leaderEpoch < UNKNOWN) {
      throw new IllegalArgumentException(
          "offset %d of epoch %d; both begin at 0, and an epoch that is not known is -1"
              .formatted(offset, leaderEpoch));
    }
  }

  /**
   * @throws IllegalArgumentException when it is not in that form
   */
  static StoredPosition parse(TopicPartition partition, String text) {
    Matcher parts = FORMAT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          ("the offset that is stored for %s is \"%s\"; it should be the last record's offset and"
                  + " leader epoch, like 41@3: update it, or clear it to begin with the earliest")
              .formatted(partition, text));
    }
    int epoch = parts.group(2) == null ? UNKNOWN : Integer.parseInt(parts.group(2));
    return new StoredPosition(Long.parseLong(parts.group(1)), epoch);
  }

  Start next() {
    return new Start.At(offset + 1, leaderEpoch);
  }

  @Override
  public String toString() {
    return leaderEpoch == UNKNOWN ? Long.toString(offset) : offset + "@" + leaderEpoch;
  }
}
