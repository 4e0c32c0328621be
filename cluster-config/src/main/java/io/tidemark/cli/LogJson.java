package io.tidemark.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.inspect.FoundEntry;
import io.tidemark.inspect.FoundSnapshot;
import io.tidemark.inspect.LogReport;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.Header;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** For programs: a line of JSON for each thing; its {@code type} says what it is. */
final class LogJson implements LogOutput {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final PrintStream out;
  private String directory = "";
  private String persistenceId = "";

  LogJson(PrintStream out) {
    this.out = out;
  }

  private static Map<String, Object> line(String type) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("type", type);
    return fields;
  }

  private void print(Map<String, Object> fields) {
    try {
      out.println(MAPPER.writeValueAsString(fields));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("fields have no JSON form", e);
    }
  }

  @Override
  public void directory(String path, Map<String, Object> identity, String use) {
    directory = path;
    Map<String, Object> fields = line("directory");
    fields.put("path", path);
    fields.putAll(identity);
    fields.put("use", use);
    print(fields);
  }

  @Override
  public void dump(String id) {
    persistenceId = id;
  }

  @Override
  public void snapshot(FoundSnapshot it) {
    Map<String, Object> fields = line("snapshot");
    fields.put("persistenceId", persistenceId);
    fields.put("sequenceNr", it.sequenceNr());
    fields.put("timestamp", it.timestamp());
    fields.put("file", it.file());
    fields.put("bytes", it.bytes());
    fields.put("serializerId", it.serializerId());
    fields.put("manifest", it.manifest());
    fields.put("readable", it.readable());
    print(fields);
  }

  @Override
  public void entry(FoundEntry it, List<RecordBatch> batches, LogRun.Range range) {
    Map<String, Object> fields = line("entry");
    fields.put("persistenceId", persistenceId);
    fields.put("sequenceNr", it.sequenceNr());
    fields.put("timestamp", it.timestamp());
    fields.put("file", it.file());
    fields.put("position", it.position());
    fields.put("serializerId", it.serializerId());
    fields.put("manifest", it.manifest());
    fields.put("payloadBytes", it.payloadBytes());
    if (!it.event().isEmpty()) {
      fields.put("event", it.event());
      fields.putAll(it.fields());
      fields.put("batches", batches.stream().map(batch -> batch(batch, range)).toList());
    }
    print(fields);
  }

  private static Map<String, Object> batch(RecordBatch it, LogRun.Range range) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("baseOffset", it.baseOffset());
    fields.put("lastOffset", it.lastOffset());
    fields.put("leaderEpoch", it.leaderEpoch());
    fields.put("producerId", it.producerId());
    fields.put("producerEpoch", it.producerEpoch());
    fields.put("baseSequence", it.baseSequence());
    fields.put("lastSequence", it.lastSequence());
    fields.put("recordCount", it.recordCount());
    fields.put("bytes", it.sizeInBytes());
    fields.put("codec", LogText.codec(it));
    fields.put("crcOk", it.checksumMatches());
    if (range.records()) {
      try {
        fields.put("records", range.recordsOf(it).stream().map(LogJson::recordOf).toList());
      } catch (CorruptRecordException e) {
        fields.put("unreadable", e.getMessage());
      }
    }
    return fields;
  }

  private static Map<String, Object> recordOf(Record it) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("offset", it.offset());
    fields.put("timestamp", it.timestamp());
    putBytes(fields, "key", it.key());
    putBytes(fields, "value", it.value());
    List<Map<String, Object>> headers = new ArrayList<>();
    for (Header header : it.headers()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("key", header.key());
      putBytes(each, "value", header.value());
      headers.add(each);
    }
    fields.put("headers", headers);
    return fields;
  }

  /** Text under the name when the bytes are text, otherwise Base64 under {@code <name>Base64}. */
  private static void putBytes(Map<String, Object> fields, String name, ByteBuffer bytes) {
    if (bytes == null) {
      fields.put(name, null);
      return;
    }
    try {
      fields.put(name, StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate()).toString());
    } catch (CharacterCodingException e) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      fields.put(name + "Base64", Base64.getEncoder().encodeToString(copy));
    }
  }

  @Override
  public void report(LogReport it, LogRun.Task task) {
    Map<String, Object> fields = line("log");
    fields.put("directory", directory);
    fields.put("persistenceId", it.persistenceId());
    fields.put("deletedTo", it.deleted());
    fields.put("highestSequenceNr", it.highest());
    fields.put("entries", it.entries());
    fields.put("segments", it.segments());
    fields.put("bytes", it.bytes());
    fields.put("unfinishedBytes", it.unfinished());
    fields.put("snapshots", it.snapshots());
    it.offsets()
        .ifPresent(
            offsets -> {
              fields.put("logStartOffset", offsets.start());
              fields.put("logEndOffset", offsets.end());
              fields.put("highWatermark", offsets.highWatermark());
              fields.put("leaderEpochs", offsets.epochs());
            });
    fields.put("damages", it.damages());
    print(fields);
  }

  @Override
  public void unreadable(String path, String why) {
    Map<String, Object> fields = line("unreadable");
    fields.put("path", path);
    fields.put("why", why);
    print(fields);
  }

  @Override
  public void total(LogRun.Total total) {
    Map<String, Object> fields = line("total");
    fields.put("logs", total.logs());
    fields.put("entries", total.entries());
    fields.put("bytes", total.bytes());
    fields.put("millis", total.nanos() / 1_000_000);
    fields.put("megabytesPerSecond", total.bytes() * 1_000 / Math.max(1, total.nanos()));
    fields.put("damages", total.damages());
    print(fields);
  }
}
