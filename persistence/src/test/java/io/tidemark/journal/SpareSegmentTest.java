package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.journal.SimulatedDisk.Op;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpareSegmentTest {
  private static final String ID = "a";
  private static final String PAYLOAD = "x".repeat(400);

  /** A log is large from its second segment on. */
  private static final SegmentSizes SIZES = new SegmentSizes(4096, 64 * 1024);

  private static final int SECOND = 8192;
  private static final int THIRD = 16 * 1024;

  private final SimulatedDisk disk = new SimulatedDisk();
  private final Path journal = disk.path("/journal");
  private final Path folder = journal.resolve(ID);
  private final Path spare = folder.resolve("spare.next");
  private final ManualExecutor background = new ManualExecutor();
  private SegmentLogs logs;
  private long written;

  @BeforeEach
  void open() throws IOException {
    open(background);
  }

  /** As after a kill of the process. */
  private void open(Executor executor) throws IOException {
    logs = new SegmentLogs(journal, SIZES, 8, StorageMetrics.NONE, executor);
    assertEquals(written, logs.log(ID).recover());
  }

  private void write() throws IOException {
    logs.log(ID).append(LogFixture.encoded(ID, written + 1, PAYLOAD), true);
    written++;
    logs.log(ID).acknowledge(logs.log(ID).force());
  }

  private List<Path> segments() throws IOException {
    return DurableFiles.list(folder).stream()
        .filter(it -> it.toString().endsWith(Segment.SUFFIX))
        .toList();
  }

  private void writeUntilSegments(int count) throws IOException {
    while (segments().size() < count) {
      write();
    }
  }

  /** Into the second half of the second segment, with room for more. */
  private void halfFill() throws IOException {
    writeUntilSegments(2);
    int each = LogFixture.encoded(ID, 1, PAYLOAD).size();
    for (int bytes = SegmentHeader.SIZE + each; bytes <= SECOND / 2 + each; bytes += each) {
      write();
    }
    assertEquals(2, segments().size());
  }

  private byte[] content(Path file) {
    return disk.files().get(file.toString());
  }

  private void assertAllThere() throws IOException {
    List<String> read = new ArrayList<>();
    logs.read(ID, 1, (number, payload) -> read.add(StandardCharsets.UTF_8.decode(payload) + ""));
    assertEquals(written, read.size());
    assertTrue(read.stream().allMatch(PAYLOAD::equals));
  }

  @Test
  void one_is_made_once_the_segment_of_a_large_log_is_half_full() throws IOException {
    writeUntilSegments(2);
    background.runAll();
    assertFalse(DurableFiles.exists(spare), "made for a small log, or too early");

    halfFill();
    assertFalse(DurableFiles.exists(spare), "made by the writer");
    background.runAll();

    assertArrayEquals(new byte[THIRD], content(spare));
  }

  @Test
  void the_writer_that_begins_a_segment_has_only_its_header_to_write() throws IOException {
    halfFill();
    background.runAll();
    List<String> touched = new ArrayList<>();
    disk.faults(
        (op, path) -> {
          if (path.toString().endsWith(".seg.next")) {
            touched.add(op.name());
          }
        });

    writeUntilSegments(3);

    assertEquals(List.of("OPEN", "WRITE", "FORCE", "MOVE"), touched);
    assertFalse(DurableFiles.exists(spare));
    assertEquals(THIRD, content(segments().get(2)).length);
    assertAllThere();
    writeUntilSegments(4);
    assertAllThere();
    open(background);
    assertAllThere();
  }

  @Test
  void one_that_is_not_ready_is_not_waited_for() throws IOException {
    halfFill();
    writeUntilSegments(3);
    assertAllThere();

    background.runAll();
    writeUntilSegments(5);

    assertAllThere();
    open(background);
    assertAllThere();
  }

  @Test
  void one_that_is_left_over_is_removed_when_the_log_is_opened() throws IOException {
    halfFill();
    background.runAll();
    assertTrue(DurableFiles.exists(spare));

    open(background);

    assertFalse(DurableFiles.exists(spare));
    assertAllThere();
    write();
    background.runAll();
    assertTrue(DurableFiles.exists(spare));
    writeUntilSegments(4);
    assertAllThere();
  }

  @Test
  void an_emptied_log_has_none() throws IOException {
    halfFill();
    background.runAll();

    logs.log(ID).deleteTo(written);

    assertFalse(DurableFiles.exists(spare));
    assertEquals(List.of(), segments());
  }

  @Test
  void one_that_is_made_while_the_log_is_emptied_is_removed() throws IOException {
    halfFill();
    logs.log(ID).deleteTo(written);

    background.runAll();

    assertFalse(DurableFiles.exists(spare));
    write();
    assertEquals(1, segments().size());
  }

  @Test
  void the_log_goes_on_where_none_can_be_made() throws IOException {
    disk.faults(
        (op, path) -> {
          if (path.equals(spare) && op != Op.LOOK && op != Op.DELETE) {
            throw new IOException("Input/output error");
          }
        });
    halfFill();
    background.runAll();
    writeUntilSegments(4);

    assertAllThere();
    disk.well();
    open(background);
    assertAllThere();
  }

  @Test
  void a_directory_in_its_place_is_none() throws IOException {
    halfFill();
    Files.createDirectory(spare);
    background.runAll();
    writeUntilSegments(4);

    assertAllThere();
    open(background);
    assertAllThere();
  }

  @Test
  void one_that_is_full_of_another_s_bytes_is_emptied_first() throws IOException {
    halfFill();
    DurableFiles.replace(spare, LogFixture.encoded(ID, 1, "old".repeat(THIRD)).bytes());

    background.runAll();

    assertArrayEquals(new byte[THIRD], content(spare));
  }

  @Test
  void the_log_goes_on_while_the_storage_is_being_closed() throws IOException {
    open(
        task -> {
          throw new RejectedExecutionException();
        });
    writeUntilSegments(4);

    assertAllThere();
  }

  @Test
  void one_that_its_maker_removes_while_a_failed_log_is_opened_again_hinders_nobody()
      throws IOException {
    halfFill();
    background.runAll();
    Path leftOver = folder.resolve("0.seg.next");
    DurableFiles.openOrCreate(leftOver).close();
    disk.faults(
        (op, path) -> {
          if (op == Op.DELETE && path.equals(leftOver)) {
            Files.delete(spare);
          }
        });

    open(background);

    assertAllThere();
  }

  @Test
  void a_log_that_has_failed_goes_on_with_another_one() throws IOException {
    halfFill();
    SegmentLog log = logs.log(ID);
    disk.faults(
        (op, path) -> {
          if (op == Op.WRITE && path.toString().endsWith(Segment.SUFFIX)) {
            throw new IOException("Input/output error");
          }
        });
    try {
      log.append(LogFixture.encoded(ID, written + 1, PAYLOAD), true);
    } catch (IOException e) {
      disk.well();
    }

    assertEquals(written, log.recover());
    // What the log before had asked for comes only now.
    background.runAll();
    write();
    background.runAll();
    writeUntilSegments(5);

    assertAllThere();
    open(background);
    assertAllThere();
  }
}
