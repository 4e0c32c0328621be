package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Logs of readable entries in a directory, reopened at will as after a restart. */
final class LogFixture {
  static final SegmentSizes SMALL = new SegmentSizes(4096, 16 * 1024);

  final Path directory;
  private SegmentLogs logs;

  LogFixture(Path directory) throws IOException {
    this.directory = directory;
    restart();
  }

  /** All handles and memory gone, as if the process had been killed. */
  void restart() throws IOException {
    if (logs != null) {
      logs.files().close();
    }
    logs = new SegmentLogs(directory, SMALL, 8, StorageMetrics.NONE, Runnable::run);
  }

  SegmentLogs logs() {
    return logs;
  }

  SegmentLog log(String id) {
    return logs.log(id);
  }

  AtomicEntries entries(String id, long first, String... payloads) {
    return encoded(id, first, payloads);
  }

  static AtomicEntries encoded(String id, long first, String... payloads) {
    EntryEncoder encoder = new EntryEncoder(new WriteBuffers(0), 0);
    for (int i = 0; i < payloads.length; i++) {
      byte[] bytes = payloads[i].getBytes(StandardCharsets.UTF_8);
      boolean continues = i + 1 < payloads.length;
      encoder.add(first + i, 1, 4, "m", "", "writer", continues, into -> into.put(bytes));
    }
    return new AtomicEntries(id, first, first + payloads.length - 1, encoder.finish());
  }

  /** Appends, without forcing. */
  void write(String id, long first, String... payloads) throws IOException {
    log(id).append(entries(id, first, payloads), true);
  }

  /** Appends, forces and acknowledges. */
  void commit(String id, long first, String... payloads) throws IOException {
    write(id, first, payloads);
    log(id).acknowledge(log(id).force());
  }

  List<String> read(String id, long from) throws IOException {
    List<String> payloads = new ArrayList<>();
    logs.read(
        id,
        from,
        (sequenceNr, payload) ->
            payloads.add(sequenceNr + "=" + StandardCharsets.UTF_8.decode(payload)));
    return payloads;
  }

  List<Path> segments(String id) throws IOException {
    Path folder = directory.resolve(FolderNames.encode(id));
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(it -> it.toString().endsWith(Segment.SUFFIX)).sorted().toList();
    }
  }

  /** Where each entry of the segment begins. */
  static List<Integer> entryPositions(Path segment) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
    List<Integer> positions = new ArrayList<>();
    for (int at = SegmentHeader.SIZE; at + 4 <= bytes.limit() && bytes.getInt(at) != 0; ) {
      positions.add(at);
      at += bytes.getInt(at);
    }
    return positions;
  }

  /** Flips bits of one byte in the file. */
  static void damage(Path file, long position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) position] ^= 0x5a;
    Files.write(file, bytes);
  }
}
