package io.tidemark.benchmark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** The least that a durable write can take here: written in place, in space that is there. */
final class BareFsync {
  private static final int FILE_BYTES = 16 << 20;

  private BareFsync() {}

  /** Nanoseconds that a write of so many bytes and its force took. */
  static Histogram run(Path parent, int bytes, Duration time) throws IOException {
    Path file = Files.createTempFile(parent, "bare-", ".fsync");
    Histogram latencies = new Histogram(3);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocateDirect(FILE_BYTES), 0);
      channel.force(true);
      ByteBuffer event = ByteBuffer.allocateDirect(bytes);
      long end = System.nanoTime() + time.toNanos();
      for (long at = 0; System.nanoTime() - end < 0; at += bytes) {
        long began = System.nanoTime();
        channel.write(event.clear(), at % (FILE_BYTES - bytes));
        channel.force(false);
        latencies.recordValue(System.nanoTime() - began);
      }
    } finally {
      Files.delete(file);
    }
    return latencies;
  }
}
