package io.tidemark.journal;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.ExtendedActorSystem;
import akka.persistence.AtomicWrite;
import akka.persistence.PersistentImpl;
import akka.persistence.PersistentRepr;
import com.typesafe.config.ConfigFactory;
import io.tidemark.benchmark.Load;
import io.tidemark.benchmark.micro.Piece;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the journal does for an event with {@code os}, all on one thread: encode it, seal it, write
 * it into the page cache and let readers see it. The files are removed before they were forced, so
 * that the disk is not what is measured, and not filled.
 */
public class JournalAppendBenchmark extends Piece {
  private static final String ID = "benchmark";
  private static final SegmentSizes SIZES = new SegmentSizes(64 << 20, 64 << 20);
  private static final long MAX_BYTES = 1 << 30;

  @Param({"1024", "65536"})
  public int bytes;

  private final WriteBuffers buffers = new WriteBuffers(64 << 20);
  private ActorSystem system;
  private EventCodec codec;
  private LogEvent event;
  private Path directory;
  private SegmentLogs logs;
  private GroupCommit commit;
  private long sequenceNr;

  @Setup
  public void start() {
    system = ActorSystem.create("journal", ConfigFactory.load());
    codec = new EventCodec((ExtendedActorSystem) system, buffers);
    event = new BatchesAppended(ByteBuffer.allocate(bytes), 5);
  }

  @Setup(Level.Iteration)
  public void open() throws IOException {
    Path target = Path.of(System.getProperty("benchmark.home", "."), "benchmarks", "target");
    directory = Files.createTempDirectory(Files.createDirectories(target), "append-");
    logs = new SegmentLogs(directory, SIZES, 64, StorageMetrics.NONE, Runnable::run);
    commit = new GroupCommit(logs, buffers, FlushPolicy.OS, null, log -> {}, StorageMetrics.NONE);
    sequenceNr = 0;
  }

  @Benchmark
  public long append() throws Exception {
    if (sequenceNr * bytes >= MAX_BYTES) {
      remove();
      open();
    }
    sequenceNr++;
    commit.now(List.of(codec.encode(write(), UnaryOperator.identity())));
    return sequenceNr;
  }

  private AtomicWrite write() {
    PersistentRepr repr =
        new PersistentImpl(
            event, sequenceNr, ID, "", false, ActorRef.noSender(), "writer", 0, Option.empty());
    return new AtomicWrite(CollectionConverters.asScala(List.of(repr)).toSeq());
  }

  @TearDown(Level.Iteration)
  public void remove() throws IOException {
    long appended = logs.log(ID).acknowledged();
    logs.files().close();
    Load.delete(directory);
    if (appended != sequenceNr) {
      throw new IllegalStateException(appended + " of " + sequenceNr + " events are there");
    }
  }

  @TearDown
  public void stop() {
    system.terminate();
  }
}
