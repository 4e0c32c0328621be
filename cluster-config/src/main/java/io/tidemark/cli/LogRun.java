package io.tidemark.cli;

import io.tidemark.cli.local.Progress;
import io.tidemark.inspect.FoundEntry;
import io.tidemark.inspect.FoundSnapshot;
import io.tidemark.inspect.LogReport;
import io.tidemark.inspect.StorageInspection;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One run of a log tool over directories; what is damaged in one does not end it. */
final class LogRun {
  private static final long MIB = 1 << 20;

  /** What is wanted. */
  enum Task {
    LIST,
    DUMP,
    VERIFY
  }

  /**
   * Which entries of a dump.
   *
   * @param byOffset whether only entries with batches in the range of offsets are wanted
   * @param records whether the records in the batches are wanted
   */
  record Range(
      long from, long to, boolean byOffset, long fromOffset, long toOffset, boolean records) {
    static final Range ALL = new Range(1, Long.MAX_VALUE, false, 0, Long.MAX_VALUE, false);

    private boolean touches(RecordBatch batch) {
      return batch.lastOffset() >= fromOffset && batch.baseOffset() <= toOffset;
    }

    /** The batch's records that are wanted. */
    List<Record> recordsOf(RecordBatch batch) {
      return batch.records().stream()
          .filter(it -> it.offset() >= fromOffset && it.offset() <= toOffset)
          .toList();
    }
  }

  /** What was checked: persistence ids, entries, bytes of segments, in how many nanoseconds. */
  record Total(int logs, long entries, long bytes, long nanos, int damages) {}

  private final Task task;
  private final Range range;
  private final List<String> ids;
  private final LogOutput out;
  private final Progress progress;
  private final Set<String> found = new HashSet<>();
  private int logs;
  private long entries;
  private long bytes;
  private long done;
  private long all;
  private int damages;

  /**
   * @param ids which persistence ids, empty for all
   */
  LogRun(Task task, Range range, List<String> ids, LogOutput out, Progress progress) {
    this.task = task;
    this.range = range;
    this.ids = ids;
    this.out = out;
    this.progress = progress;
  }

  /** Whether some directory has the persistence id. */
  boolean found(String id) {
    return found.contains(id);
  }

  /** Returns whether nothing is damaged. */
  boolean over(List<Path> directories) throws IOException {
    long start = System.nanoTime();
    for (Path directory : new LinkedHashSet<>(directories)) {
      try {
        over(directory);
      } catch (IOException e) {
        damages++;
        out.unreadable(directory.toString(), Main.messageOf(e));
      }
    }
    progress.end();
    if (task == Task.VERIFY) {
      out.total(new Total(logs, entries, bytes, System.nanoTime() - start, damages));
    }
    return damages == 0;
  }

  private void over(Path directory) throws IOException {
    StorageInspection storage = StorageInspection.open(directory);
    String use = storage.use();
    if (!use.equals("closed")) {
      progress.say(
          directory
              + (use.equals("in use")
                  ? ": in use; what is written meanwhile may be missing"
                  : ": was not closed by its last user; its next start may cut what is unfinished"));
    }
    out.directory(directory.toString(), storage.identity(), use);
    for (String folder : storage.namelessFolders()) {
      damages++;
      out.unreadable(folder, "the persistence id is not known: the file 'id' is missing or wrong");
    }
    for (Map.Entry<Path, Long> file : storage.damagedWriteAhead().entrySet()) {
      damages++;
      out.unreadable(
          file.getKey().toString(),
          "damaged at position " + file.getValue() + "; after a power loss no node starts with it");
    }
    List<String> wanted =
        storage.persistenceIds().stream().filter(id -> ids.isEmpty() || ids.contains(id)).toList();
    if (task == Task.VERIFY) {
      for (String id : wanted) {
        all += storage.bytes(id);
      }
    }
    for (String id : wanted) {
      inspect(storage, id);
    }
  }

  private void inspect(StorageInspection storage, String id) throws IOException {
    found.add(id);
    if (task == Task.DUMP) {
      out.dump(id);
    }
    LogReport report = storage.inspect(id, listener());
    logs++;
    entries += report.entries();
    bytes += report.bytes();
    damages += report.damages().size();
    out.report(report, task);
  }

  private StorageInspection.Listener listener() {
    return new StorageInspection.Listener() {
      @Override
      public void snapshot(FoundSnapshot snapshot) {
        if (task == Task.DUMP && !range.byOffset()) {
          out.snapshot(snapshot);
        }
      }

      @Override
      public void entry(FoundEntry entry) {
        if (task == Task.DUMP
            && entry.sequenceNr() >= range.from()
            && entry.sequenceNr() <= range.to()) {
          List<RecordBatch> batches = entry.batches().stream().filter(range::touches).toList();
          if (!range.byOffset() || !batches.isEmpty()) {
            out.entry(entry, batches, range);
          }
        }
      }

      @Override
      public void read(long more) {
        done += more;
        if (task == Task.VERIFY) {
          // A segment that is looked at twice must not fill the bar beyond its end.
          progress.show("MiB checked", Math.min(done, all) / MIB, all / MIB);
        }
      }
    };
  }
}
