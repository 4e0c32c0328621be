package io.tidemark.benchmark;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.IntStream;

/**
 * Makes the machine's memory look as it does after a day of work: full of its page cache, whose
 * oldest pages are what writers get. A virtual machine that has just deleted the last run's files
 * has memory that its host must give again page by page, which costs several times what writing
 * into it does; with that, it is the host that is measured.
 */
final class UsedMemory {
  private static final int READERS = 2;
  private static final int CHUNK = 1 << 20;

  private final Path holes;
  private final long bytes;

  /**
   * @param holes a file that takes no space, as large as the memory
   */
  UsedMemory(Path holes) throws IOException {
    this.holes = holes;
    // All of it: the processes get pages of the cache, too. What stayed free would be given anew.
    this.bytes =
        ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    try (RandomAccessFile file = new RandomAccessFile(holes.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  /** Reads the file through; of no use to it, but the cache has its pages then. */
  void fill() {
    long each = bytes / READERS;
    IntStream.range(0, READERS).parallel().forEach(it -> read(it * each, (it + 1) * each));
  }

  private void read(long from, long to) {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    try (FileChannel channel = FileChannel.open(holes, StandardOpenOption.READ)) {
      for (long at = from; at < to; at += CHUNK) {
        channel.read(chunk.clear(), at);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
