package io.tidemark.cli;

import io.tidemark.inspect.FoundEntry;
import io.tidemark.inspect.FoundSnapshot;
import io.tidemark.inspect.LogReport;
import io.tidemark.record.RecordBatch;
import java.util.List;
import java.util.Map;

/** How the log tools tell what they find, in this order for each directory. */
interface LogOutput {

  /** A directory and whose it is; {@code use} says whether it may change meanwhile. */
  void directory(String path, Map<String, Object> identity, String use);

  /** A dump of this persistence id follows. */
  void dump(String persistenceId);

  void snapshot(FoundSnapshot snapshot);

  /**
   * @param batches those of the entry's that were asked for
   * @param range whether their records are wanted too, and which
   */
  void entry(FoundEntry entry, List<RecordBatch> batches, LogRun.Range range);

  /** What was found of an id by this task. */
  void report(LogReport report, LogRun.Task task);

  /** A directory, or a folder of one, that cannot be read as a whole. */
  void unreadable(String path, String why);

  /** What was checked in all. */
  void total(LogRun.Total total);
}
