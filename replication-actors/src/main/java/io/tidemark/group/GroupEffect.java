package io.tidemark.group;

import io.tidemark.protocol.GroupResponse;
import java.util.List;

/** What a {@link GroupCoordinator} wants done. */
public sealed interface GroupEffect {

  /**
   * Write these as one batch with acks=all; told by {@code appended}, {@code appendRefused}, or
   * {@code stop} when what became of it is not known. One at a time.
   */
  record Append(List<GroupRecord> records) implements GroupEffect {}

  /** Read committed records from this offset on, −1 for the log's start. */
  record Read(long offset) implements GroupEffect {}

  record Reply(long token, GroupResponse response) implements GroupEffect {}

  /** Nothing before this offset is needed any more; all before it is committed. */
  record DeleteBefore(long offset) implements GroupEffect {}
}
