package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** Snapshots as files, one each, named by sequence number and timestamp. */
final class SnapshotFiles {
  /** Which snapshot, and the milliseconds since the epoch when it was taken. */
  record Key(long sequenceNr, long timestamp) {
    String fileName() {
      return String.format("%019d-%019d.snap", sequenceNr, timestamp);
    }
  }

  /** A snapshot's content as its serializer made it. */
  record Content(int serializerId, String manifest, byte[] payload) {}

  interface BeforeVisible {
    void run() throws IOException;
  }

  private static final Pattern NAME = Pattern.compile("(\\d{19})-(\\d{19})\\.snap");
  private static final int MAGIC = 0x544d534e;
  private static final int VERSION = 1;
  private static final int FIXED = 40;
  private static final int CRC_AT = 36;

  private final Path parent;

  SnapshotFiles(Path parent) {
    this.parent = parent;
  }

  private Path folder(String persistenceId) {
    return parent.resolve(FolderNames.encode(persistenceId));
  }

  /** All snapshots of the id, the newest first. */
  List<Key> list(String persistenceId) throws IOException {
    List<Key> keys = new ArrayList<>();
    for (Path file : DurableFiles.list(folder(persistenceId))) {
      Matcher name = NAME.matcher(file.getFileName().toString());
      if (name.matches()) {
        keys.add(new Key(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))));
      }
    }
    keys.sort(
        Comparator.comparingLong(Key::sequenceNr).thenComparingLong(Key::timestamp).reversed());
    return keys;
  }

  /**
   * Stores a snapshot; it is on disk when this returns.
   *
   * @param beforeVisible runs when the content is on disk but nobody can find it yet
   */
  void save(String persistenceId, Key key, Content content, BeforeVisible beforeVisible)
      throws IOException {
    Path folder = folder(persistenceId);
    FolderNames.create(folder, persistenceId);
    Path file = folder.resolve(key.fileName());
    removeUnfinished(folder);
    Path next = DurableFiles.next(file);
    try (FileChannel channel = DurableFiles.openOrCreate(next)) {
      channel.truncate(0);
      ByteBuffer head = encodeHead(key, content);
      int headLength = head.remaining();
      DurableFiles.writeFully(channel, head, 0);
      DurableFiles.writeFully(channel, ByteBuffer.wrap(content.payload()), headLength);
      channel.force(true);
    }
    beforeVisible.run();
    DurableFiles.moveIntoPlace(next, file);
  }

  /** What a save left behind that was not finished before a crash. */
  private static void removeUnfinished(Path folder) throws IOException {
    for (Path file : DurableFiles.list(folder)) {
      if (file.toString().endsWith(".snap.next")) {
        Files.delete(file);
      }
    }
  }

  private static ByteBuffer encodeHead(Key key, Content content) {
    byte[] manifest = content.manifest().getBytes(StandardCharsets.UTF_8);
    ByteBuffer head = ByteBuffer.allocate(FIXED + manifest.length);
    head.putInt(MAGIC).putInt(VERSION).putLong(key.sequenceNr()).putLong(key.timestamp());
    head.putInt(content.serializerId()).putInt(manifest.length).putInt(content.payload().length);
    head.putInt(0).put(manifest);
    head.putInt(CRC_AT, crc(head.array(), manifest.length, content.payload()));
    return head.flip();
  }

  private static int crc(byte[] head, int manifestLength, byte[] payload) {
    CRC32C crc = new CRC32C();
    crc.update(head, 0, CRC_AT);
    crc.update(head, FIXED, manifestLength);
    crc.update(payload, 0, payload.length);
    return (int) crc.getValue();
  }

  /** As {@link #look}, for those who act on it. */
  Optional<Content> load(String persistenceId, Key key) throws IOException {
    Optional<Content> content = look(persistenceId, key);
    // Whoever has seen a snapshot may delete the events before it.
    DurableFiles.forceDirectory(folder(persistenceId));
    return content;
  }

  /** The content, or empty when the file is not what was saved. */
  Optional<Content> look(String persistenceId, Key key) throws IOException {
    byte[] bytes = Files.readAllBytes(file(persistenceId, key));
    ByteBuffer file = ByteBuffer.wrap(bytes);
    if (bytes.length < FIXED || file.getInt() != MAGIC || file.getInt() != VERSION) {
      return Optional.empty();
    }
    boolean sameKey = file.getLong() == key.sequenceNr() & file.getLong() == key.timestamp();
    int serializerId = file.getInt();
    int manifestLength = file.getInt();
    int payloadLength = file.getInt();
    int crc = file.getInt();
    if (!sameKey
        || manifestLength < 0
        || payloadLength < 0
        || (long) FIXED + manifestLength + payloadLength != bytes.length) {
      return Optional.empty();
    }
    byte[] manifest = new byte[manifestLength];
    byte[] payload = new byte[payloadLength];
    file.get(manifest).get(payload);
    return crc == crc(bytes, manifestLength, payload)
        ? Optional.of(
            new Content(serializerId, new String(manifest, StandardCharsets.UTF_8), payload))
        : Optional.empty();
  }

  Path file(String persistenceId, Key key) {
    return folder(persistenceId).resolve(key.fileName());
  }

  /** Deletes for good. */
  void delete(String persistenceId, List<Key> keys) throws IOException {
    if (!keys.isEmpty()) {
      for (Key key : keys) {
        Files.deleteIfExists(file(persistenceId, key));
      }
      DurableFiles.forceDirectory(folder(persistenceId));
    }
  }
}
