package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.cli.local.Progress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogRunTest {
  private static final LogRun.Range WITH_RECORDS =
      new LogRun.Range(1, Long.MAX_VALUE, false, 0, Long.MAX_VALUE, true);

  @TempDir static Path written;
  @TempDir Path parent;
  private Path directory;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private boolean sound;

  @BeforeAll
  static void write() {
    StoredLogs.write(written.resolve("data"));
  }

  @BeforeEach
  void copy() throws IOException {
    directory = parent.resolve("data");
    try (Stream<Path> files = Files.walk(written.resolve("data"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(
            file,
            directory.resolve(written.resolve("data").relativize(file)),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  private String run(LogRun.Task task, LogRun.Range range, boolean json, String... ids)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    LogOutput output = json ? new LogJson(out) : new LogText(out);
    Progress progress = new Progress(new PrintStream(errors, true), false);
    sound = new LogRun(task, range, List.of(ids), output, progress).over(List.of(directory));
    return StoredLogs.normal(bytes.toString(StandardCharsets.UTF_8), directory);
  }

  private String text(LogRun.Task task, LogRun.Range range, String... ids) throws IOException {
    return run(task, range, false, ids);
  }

  private List<JsonNode> json(LogRun.Task task, LogRun.Range range, String... ids)
      throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : run(task, range, true, ids).lines().toList()) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  private Path segment() {
    return directory.resolve("journal/orders-0%401/0000000000000000001.seg");
  }

  private void flip(Path file, long position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) position] ^= 0x10;
    Files.write(file, bytes);
  }

  private static final String IDENTITY =
      "DIR: formatVersion 1, directoryId 00000000-0000-0000-0000-000000000000, closed\n";

  @Test
  void a_list_has_a_line_for_each_persistence_id() throws IOException {
    assertEquals(
        IDENTITY
            + """
            sequence numbers      offsets                epoch    entries snapshots        bytes  persistence id
            1..3                  -                          -          3         1        65536  "cart|\\u{1b}[2J"
            1..4                  0..2                       4          4         0        65536  "orders-0@1"
            """,
        text(LogRun.Task.LIST, LogRun.Range.ALL));
    assertTrue(sound);
    assertEquals("", errors.toString());
  }

  @Test
  void a_dump_shows_batches_records_and_the_leader_epoch_checkpoint() throws IOException {
    assertEquals(
        IDENTITY
            + """

            persistence id "orders-0@1"
            1 at TIME in 0000000000000000001.seg:64 leader-epoch-started epoch 0 startOffset 0, 14 bytes
            2 at TIME in 0000000000000000001.seg:176 batches-appended highWatermark 0, 110 bytes
              batch offsets 0..1 epoch 0 producer 9/1 sequence 5..6 records 2 bytes 100 codec none crc ok
                0 at 2023-11-14T22:13:20Z key "key" value "two\\u{a}cups"
                1 at 2023-11-14T22:13:20.001Z key null value 0xff7f headers "source"="shop"
            3 at TIME in 0000000000000000001.seg:384 leader-epoch-started epoch 4 startOffset 2, 14 bytes
            4 at TIME in 0000000000000000001.seg:496 batches-appended highWatermark 2, 99 bytes
              batch offsets 2..2 epoch 4 producer -1/-1 sequence -1..-1 records 1 bytes 89 codec gzip crc ok
                2 at 2023-11-14T22:13:20.002Z key "k" value null
            log start offset 0, log end offset 3, high watermark 2
            leader-epoch-checkpoint
            0
            2
            0 0
            4 2
            """,
        text(LogRun.Task.DUMP, WITH_RECORDS, StoredLogs.REPLICATED));
  }

  @Test
  void a_dump_shows_ordinary_events_and_snapshots_by_serializer_and_manifest() throws IOException {
    assertEquals(
        IDENTITY
            + """

            persistence id "cart|\\u{1b}[2J"
            snapshot 2 at TIME, 44 bytes, serializer 20 manifest ""
            1 at TIME in 0000000000000000001.seg:64 event of serializer 20 manifest "", 3 bytes
            2 at TIME in 0000000000000000001.seg:160 event of serializer 20 manifest "", 4 bytes
            3 at TIME in 0000000000000000001.seg:256 event of serializer 20 manifest "", 5 bytes
            """,
        text(LogRun.Task.DUMP, WITH_RECORDS, StoredLogs.ORDINARY));
  }

  @Test
  void a_range_of_sequence_numbers_or_of_offsets_is_kept_to() throws IOException {
    LogRun.Range second = new LogRun.Range(2, 3, false, 0, Long.MAX_VALUE, false);
    LogRun.Range offsetOne = new LogRun.Range(1, Long.MAX_VALUE, true, 1, 1, true);

    assertEquals(
        List.of(2L, 3L),
        json(LogRun.Task.DUMP, second, StoredLogs.REPLICATED).stream()
            .filter(it -> it.get("type").asText().equals("entry"))
            .map(it -> it.get("sequenceNr").asLong())
            .toList());
    List<JsonNode> entries =
        json(LogRun.Task.DUMP, offsetOne).stream()
            .filter(it -> !it.get("type").asText().matches("directory|log"))
            .toList();
    assertEquals(1, entries.size(), entries::toString);
    JsonNode records = entries.get(0).get("batches").get(0).get("records");
    assertEquals(1, records.size());
    assertEquals(1, records.get(0).get("offset").asInt());
    assertEquals("/38=", records.get(0).get("valueBase64").asText());
    assertTrue(records.get(0).get("key").isNull());
    assertEquals("source", records.get(0).get("headers").get(0).get("key").asText());
  }

  @Test
  void json_has_a_line_for_everything() throws IOException {
    List<JsonNode> lines = json(LogRun.Task.DUMP, LogRun.Range.ALL);

    assertEquals(
        "directory snapshot entry entry entry log entry entry entry entry log",
        String.join(" ", lines.stream().map(it -> it.get("type").asText()).toList()));
    assertEquals("closed", lines.get(0).get("use").asText());
    assertEquals(StoredLogs.ORDINARY, lines.get(1).get("persistenceId").asText());
    JsonNode batch = lines.get(7).get("batches").get(0);
    assertEquals(9, batch.get("producerId").asInt());
    assertTrue(batch.get("crcOk").asBoolean());
    JsonNode log = lines.get(10);
    assertEquals(3, log.get("logEndOffset").asInt());
    assertEquals(4, log.get("leaderEpochs").get(1).get("epoch").asInt());
    assertEquals(0, log.get("damages").size());
  }

  @Test
  void verify_tells_what_it_read_and_how_fast() throws IOException {
    String told = text(LogRun.Task.VERIFY, LogRun.Range.ALL);

    assertEquals(IDENTITY + "2 persistence ids, 7 entries, 0.1 MB in SECONDS: ok\n", told);
    JsonNode total = json(LogRun.Task.VERIFY, LogRun.Range.ALL).get(3);
    assertEquals("total", total.get("type").asText());
    assertEquals(131_072, total.get("bytes").asInt());
    assertEquals(0, total.get("damages").asInt());
  }

  @Test
  void the_first_damaged_entry_is_told_with_file_position_and_sequence_number() throws IOException {
    flip(segment(), 260);

    String told = text(LogRun.Task.VERIFY, LogRun.Range.ALL);

    assertFalse(sound);
    assertTrue(
        told.contains(
            "\"orders-0@1\": DAMAGED at sequence number 2,"
                + " DIR/journal/orders-0%401/0000000000000000001.seg at position 176: "),
        told);
    assertTrue(told.contains("\"orders-0@1\": restore its folder from a copy"), told);
    assertTrue(told.endsWith(": 1 DAMAGED\n"), told);
    JsonNode log = json(LogRun.Task.LIST, LogRun.Range.ALL, StoredLogs.REPLICATED).get(1);
    assertEquals(1, log.get("highestSequenceNr").asInt());
    assertEquals(2, log.get("damages").get(0).get("sequenceNr").asInt());
    assertEquals(176, log.get("damages").get(0).get("position").asInt());
  }

  @Test
  void damage_of_a_snapshot_and_a_folder_without_its_id_is_told() throws IOException {
    Path snapshots = directory.resolve("snapshots/cart%7c%1b%5b2%4a");
    try (Stream<Path> files = Files.list(snapshots)) {
      flip(files.findFirst().orElseThrow(), 42);
    }
    Files.move(directory.resolve("journal/orders-0%401"), directory.resolve("journal/=lost"));

    String told = text(LogRun.Task.VERIFY, LogRun.Range.ALL);

    assertFalse(sound);
    assertTrue(told.contains("0000000000000000002-"), told);
    assertTrue(told.contains("DIR/journal/=lost: DAMAGED: the persistence id is not known"), told);
    assertTrue(told.endsWith(": 2 DAMAGED\n"), told);
  }

  @Test
  void a_write_that_was_cut_short_is_no_damage_and_a_directory_that_was_not_closed_is_told()
      throws IOException {
    Files.delete(directory.resolve("clean-shutdown"));
    byte[] bytes = Files.readAllBytes(segment());
    bytes[700] = 1;
    Files.write(segment(), bytes);

    String told = text(LogRun.Task.VERIFY, LogRun.Range.ALL);

    assertTrue(sound, told);
    assertTrue(told.contains("bytes behind sequence number 4 are an unfinished write"), told);
    assertTrue(errors.toString().contains("was not closed by its last user"), errors::toString);
  }

  @Test
  void a_directory_of_a_newer_version_is_not_sound_and_does_not_end_the_run() throws IOException {
    Path meta = directory.resolve("meta.properties");
    Files.writeString(meta, Files.readString(meta).replace("format.version=1", "format.version=2"));

    String told = text(LogRun.Task.VERIFY, LogRun.Range.ALL);

    assertFalse(sound);
    assertTrue(told.contains("format version 2"), told);
    assertTrue(told.endsWith(": 1 DAMAGED\n"), told);
  }
}
