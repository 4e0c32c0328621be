package io.tidemark.cli;

import io.tidemark.inspect.FoundEntry;
import io.tidemark.inspect.FoundSnapshot;
import io.tidemark.inspect.LogReport;
import io.tidemark.inspect.LogReport.Damaged;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.Header;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** For people: tables and one line for each thing. What was stored cannot control the terminal. */
final class LogText implements LogOutput {
  private static final int LONGEST_VALUE = 1_000;
  private static final String ROW = "%-21s %-21s %6s %10s %9s %12s  %s%n";

  private final PrintStream out;
  private boolean headed;

  LogText(PrintStream out) {
    this.out = out;
  }

  @Override
  public void directory(String path, Map<String, Object> identity, String use) {
    String known =
        identity.entrySet().stream()
            .map(it -> it.getKey() + " " + it.getValue())
            .collect(Collectors.joining(", "));
    out.println(path + ": " + known + ", " + use);
    headed = false;
  }

  @Override
  public void dump(String persistenceId) {
    out.println();
    out.println("persistence id " + quoted(persistenceId));
  }

  @Override
  public void snapshot(FoundSnapshot it) {
    String what =
        it.readable()
            ? "serializer " + it.serializerId() + " manifest " + quoted(it.manifest())
            : "DAMAGED";
    out.printf(
        "snapshot %d at %s, %d bytes, %s%n",
        it.sequenceNr(), Instant.ofEpochMilli(it.timestamp()), it.bytes(), what);
  }

  @Override
  public void entry(FoundEntry it, List<RecordBatch> batches, LogRun.Range range) {
    String what =
        it.event().isEmpty()
            ? "event of serializer " + it.serializerId() + " manifest " + quoted(it.manifest())
            : it.event();
    String fields =
        it.fields().entrySet().stream()
            .map(field -> " " + field.getKey() + " " + printable(String.valueOf(field.getValue())))
            .collect(Collectors.joining());
    out.printf(
        "%d at %s in %s:%d %s%s, %d bytes%n",
        it.sequenceNr(),
        Instant.ofEpochMilli(it.timestamp()),
        Path.of(it.file()).getFileName(),
        it.position(),
        what,
        fields,
        it.payloadBytes());
    for (RecordBatch batch : batches) {
      batch(batch);
      if (range.records()) {
        records(batch, range);
      }
    }
  }

  private void batch(RecordBatch it) {
    out.printf(
        "  batch offsets %d..%d epoch %d producer %d/%d sequence %d..%d records %d bytes %d codec %s"
            + " crc %s%n",
        it.baseOffset(),
        it.lastOffset(),
        it.leaderEpoch(),
        it.producerId(),
        it.producerEpoch(),
        it.baseSequence(),
        it.lastSequence(),
        it.recordCount(),
        it.sizeInBytes(),
        codec(it),
        it.checksumMatches() ? "ok" : "WRONG");
  }

  static String codec(RecordBatch batch) {
    try {
      return batch.compression().name().toLowerCase(Locale.ROOT);
    } catch (CorruptRecordException e) {
      return "unknown";
    }
  }

  private void records(RecordBatch batch, LogRun.Range range) {
    try {
      for (Record it : range.recordsOf(batch)) {
        StringBuilder headers = new StringBuilder();
        for (Header header : it.headers()) {
          headers
              .append(' ')
              .append(quoted(header.key()))
              .append('=')
              .append(value(header.value()));
        }
        out.printf(
            "    %d at %s key %s value %s%s%n",
            it.offset(),
            Instant.ofEpochMilli(it.timestamp()),
            value(it.key()),
            value(it.value()),
            headers.isEmpty() ? "" : " headers" + headers);
      }
    } catch (CorruptRecordException e) {
      out.println("    unreadable: " + printable(e.getMessage()));
    }
  }

  @Override
  public void report(LogReport it, LogRun.Task task) {
    if (task == LogRun.Task.LIST) {
      row(it);
    } else if (task == LogRun.Task.DUMP) {
      it.offsets().ifPresent(this::epochs);
    }
    if (it.unfinished() > 0) {
      out.printf(
          "%s: %d bytes behind sequence number %d are an unfinished write, which the next start"
              + " cuts%n",
          quoted(it.persistenceId()), it.unfinished(), it.highest());
    }
    for (Damaged damaged : it.damages()) {
      out.printf(
          "%s: DAMAGED at sequence number %d, %s at position %d: %s%n",
          quoted(it.persistenceId()),
          damaged.sequenceNr(),
          damaged.file(),
          damaged.position(),
          printable(damaged.what()));
    }
    if (!it.damages().isEmpty()) {
      out.printf(
          "%s: restore its folder from a copy of the directory; a replica's log may be removed"
              + " instead, and replication fills it again%n",
          quoted(it.persistenceId()));
    }
  }

  /** The persistence id is the last column: it may be long. */
  private void row(LogReport it) {
    if (!headed) {
      out.printf(
          ROW,
          "sequence numbers",
          "offsets",
          "epoch",
          "entries",
          "snapshots",
          "bytes",
          "persistence id");
      headed = true;
    }
    String numbers = it.entries() == 0 ? "none" : it.deleted() + 1 + ".." + it.highest();
    String offsets = it.offsets().map(o -> o.start() + ".." + (o.end() - 1)).orElse("-");
    String epoch =
        it.offsets()
            .filter(o -> !o.epochs().isEmpty())
            .map(o -> String.valueOf(o.epochs().get(o.epochs().size() - 1).epoch()))
            .orElse("-");
    out.printf(
        ROW,
        numbers,
        it.offsets().filter(o -> o.start() == o.end()).map(o -> "none").orElse(offsets),
        epoch,
        it.entries(),
        it.snapshots(),
        it.bytes(),
        quoted(it.persistenceId()));
  }

  /** As Kafka's leader-epoch-checkpoint files are. */
  private void epochs(LogReport.Offsets offsets) {
    out.printf(
        "log start offset %d, log end offset %d, high watermark %d%n",
        offsets.start(), offsets.end(), offsets.highWatermark());
    out.println("leader-epoch-checkpoint");
    out.println(0);
    out.println(offsets.epochs().size());
    offsets.epochs().forEach(it -> out.println(it.epoch() + " " + it.startOffset()));
  }

  @Override
  public void unreadable(String path, String why) {
    out.println(path + ": DAMAGED: " + printable(why));
  }

  @Override
  public void total(LogRun.Total total) {
    double seconds = total.nanos() / 1e9;
    out.printf(
        Locale.ROOT,
        "%d persistence ids, %d entries, %.1f MB in %.2f s (%.0f MB/s): %s%n",
        total.logs(),
        total.entries(),
        total.bytes() / 1e6,
        seconds,
        total.bytes() / 1e6 / seconds,
        total.damages() == 0 ? "ok" : total.damages() + " DAMAGED");
  }

  /** Text when the bytes are text, otherwise hexadecimal; never more than fits a screen. */
  private static String value(ByteBuffer bytes) {
    if (bytes == null) {
      return "null";
    }
    ByteBuffer shown = bytes.slice(bytes.position(), Math.min(bytes.remaining(), LONGEST_VALUE));
    String more = bytes.remaining() > LONGEST_VALUE ? "... (" + bytes.remaining() + " bytes)" : "";
    try {
      return quoted(StandardCharsets.UTF_8.newDecoder().decode(shown.duplicate()).toString())
          + more;
    } catch (CharacterCodingException e) {
      byte[] copy = new byte[shown.remaining()];
      shown.get(copy);
      return "0x" + HexFormat.of().formatHex(copy) + more;
    }
  }

  private static String quoted(String text) {
    return '"' + printable(text).replace("\"", "\\\"") + '"';
  }

  private static String printable(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              int type = Character.getType(c);
              if (c == '\\') {
                printable.append("\\\\");
              } else if (type == Character.CONTROL
                  || type == Character.FORMAT
                  || type == Character.LINE_SEPARATOR
                  || type == Character.PARAGRAPH_SEPARATOR) {
                printable.append("\\u{").append(Integer.toHexString(c)).append('}');
              } else {
                printable.appendCodePoint(c);
              }
            });
    return printable.toString();
  }
}
