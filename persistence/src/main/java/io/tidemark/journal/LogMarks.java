package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * What a log must remember beside its segments, in a small file that is replaced as a whole.
 *
 * @param deleted the highest deleted sequence number, 0 when none is
 * @param durable an entry up to here that cannot be read is damage, never an unfinished write; also
 *     the highest sequence number of a log whose segments are all deleted
 */
record LogMarks(long deleted, long durable) {
  static final LogMarks NONE = new LogMarks(0, 0);
  static final String FILE = "marks";
  private static final int MAGIC = 0x544d4d4b;
  private static final int VERSION = 1;
  private static final int CRC_AT = 24;
  private static final int SIZE = 28;

  static LogMarks read(String persistenceId, Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!DurableFiles.exists(file)) {
      return NONE;
    }
    byte[] content = Files.readAllBytes(file);
    ByteBuffer bytes = ByteBuffer.wrap(content);
    if (content.length != SIZE
        || bytes.getInt(CRC_AT) != crc(content)
        || bytes.getInt() != MAGIC
        || bytes.getInt() != VERSION) {
      throw new DamagedLogException(persistenceId, file, 0, 1, "unreadable marks");
    }
    return new LogMarks(bytes.getLong(), bytes.getLong());
  }

  void write(Path folder) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    bytes.putInt(MAGIC).putInt(VERSION).putLong(deleted).putLong(durable);
    bytes.putInt(crc(bytes.array()));
    DurableFiles.replace(folder.resolve(FILE), bytes.flip());
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, CRC_AT);
    return (int) crc.getValue();
  }
}
