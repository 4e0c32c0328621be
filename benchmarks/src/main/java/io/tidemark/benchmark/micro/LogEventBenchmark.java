package io.tidemark.benchmark.micro;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogSerializer;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** The event of 64 KiB of batches, into the journal's buffer and back. */
public class LogEventBenchmark extends Piece {
  private final LogSerializer serializer = new LogSerializer(null);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(128 * 1024);
  private final LogEvent event = new BatchesAppended(ByteBuffer.allocate(64 * 1024), 5);
  private final String manifest = serializer.manifest(event);
  private ByteBuffer written;

  @Setup
  public void fill() {
    written = ByteBuffer.allocateDirect(128 * 1024);
    serializer.toBinary(event, written);
    written.flip();
  }

  @Benchmark
  public ByteBuffer write() {
    serializer.toBinary(event, buffer.clear());
    return buffer;
  }

  @Benchmark
  public Object read() {
    return serializer.fromBinary(written.rewind(), manifest);
  }
}
