package io.tidemark.groupkill;

import java.util.Locale;
import java.util.Optional;

/**
 * What a member has done, as a line of its output.
 *
 * @param nanos of {@link System#nanoTime}, which all processes of one machine have in common
 * @param partition −1 for what is of no partition
 * @param offset of a record; for {@link Kind#HEAP} the bytes in use after a collection
 * @param number the value of a consumed record
 */
record MemberEvent(Kind kind, long nanos, int partition, long offset, int number) {

  enum Kind {
    ASSIGNED,
    REVOKED,
    LOST,
    CONSUMED,
    /** This record and all before it, as far as the member was told. */
    COMMITTED,
    /** All that was consumed is committed, and the group was left. */
    LEFT,
    FAILED,
    /** Nothing is consumed from here on. */
    STOPPED,
    HEAP
  }

  String line() {
    return "%s %d %d %d %d\n"
        .formatted(kind.name().toLowerCase(Locale.ROOT), nanos, partition, offset, number);
  }

  /** Empty for what somebody else has printed. */
  static Optional<MemberEvent> parse(String line) {
    String[] words = line.split(" ");
    if (words.length != 5) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new MemberEvent(
              Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
              Long.parseLong(words[1]),
              Integer.parseInt(words[2]),
              Long.parseLong(words[3]),
              Integer.parseInt(words[4])));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
