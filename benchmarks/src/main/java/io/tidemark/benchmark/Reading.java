package io.tidemark.benchmark;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.SpawnProtocol;
import akka.actor.typed.javadsl.Behaviors;
import io.tidemark.log.LogEvent;
import io.tidemark.log.PartitionLog;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How long it takes to read logs back, each time in a new JVM with a small heap. */
final class Reading {
  static final int EVENT_BYTES = 64 * 1024;
  private static final String REPLAYED = "replayed";
  private static final String PARTITION = "partition";

  private Reading() {}

  /** Writes a log of 64 KiB events, which has no snapshots. */
  static void writeEvents(Path directory, long bytes) throws Exception {
    ActorSystem<SpawnProtocol.Command> system = system(directory);
    CountDownLatch written = new CountDownLatch((int) (bytes / EVENT_BYTES));
    ActorRef<Writer.Command> writer =
        Load.spawn(
            system,
            Writer.create(
                REPLAYED, Load.event(EVENT_BYTES), nanos -> written.countDown(), () -> {}),
            "writer");
    writer.tell(Writer.Command.WRITE);
    Load.await(written);
    writer.tell(Writer.Command.STOP);
    terminate(system);
  }

  /** Writes a replica's log of batches of 1 MiB, which has snapshots. */
  static void writeBatches(Path directory, long bytes) throws Exception {
    ActorSystem<SpawnProtocol.Command> system = system(directory);
    long batches = bytes >> 20;
    CountDownLatch written = new CountDownLatch((int) batches);
    ActorRef<PartitionLog.Notice> owner =
        Load.spawn(
            system,
            Behaviors.receiveMessage(
                notice -> {
                  if (notice instanceof PartitionLog.Persisted) {
                    written.countDown();
                  }
                  return Behaviors.same();
                }),
            "owner");
    ActorRef<PartitionLog.Command> log = partitionLog(system, owner);
    // One write in flight, as a replica has it.
    for (long i = 0; i < batches; i++) {
      long left = batches - i;
      log.tell(new PartitionLog.Persist(i, new LogEvent.BatchesAppended(batch(i), 0)));
      while (written.getCount() > left - 1) {
        TimeUnit.MICROSECONDS.sleep(100);
      }
    }
    log.tell(new PartitionLog.Stop());
    terminate(system);
  }

  private static ByteBuffer batch(long offset) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 2 << 20);
    builder.append(0, null, ByteBuffer.wrap(Load.event((1 << 20) - 100)), List.of());
    return builder.build(offset, 0);
  }

  private static ActorRef<PartitionLog.Command> partitionLog(
      ActorSystem<SpawnProtocol.Command> system, ActorRef<PartitionLog.Notice> owner)
      throws Exception {
    return Load.spawn(
        system,
        PartitionLog.create(PARTITION, Contestant.OS.plugin, "tidemark.log-snapshot-store", owner),
        "log");
  }

  private static ActorSystem<SpawnProtocol.Command> system(Path directory) {
    return ActorSystem.create(SpawnProtocol.create(), "benchmark", Contestant.OS.config(directory));
  }

  private static void terminate(ActorSystem<?> system) throws Exception {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().get(1, TimeUnit.MINUTES);
  }

  /** Milliseconds in a JVM with a heap of 64 MiB. */
  static double replayMillis(Path directory) throws Exception {
    return child(directory, REPLAYED);
  }

  /** Milliseconds in a JVM with a heap of 64 MiB. */
  static double recoveryMillis(Path directory) throws Exception {
    return child(directory, PARTITION);
  }

  private static double child(Path directory, String what)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Reading.class.getName(),
                directory.toString(),
                what)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("The reading JVM failed with " + process.exitValue() + ": " + out);
    }
    return Double.parseDouble(out.trim());
  }

  /** The reading JVM: prints how many milliseconds the recovery took. */
  public static void main(String[] args) throws Exception {
    ActorSystem<SpawnProtocol.Command> system = system(Path.of(args[0]));
    CountDownLatch recovered = new CountDownLatch(1);
    long began;
    if (args[1].equals(REPLAYED)) {
      began = System.nanoTime();
      Load.spawn(
          system,
          Writer.create(REPLAYED, new byte[0], nanos -> {}, recovered::countDown),
          "writer");
    } else {
      ActorRef<PartitionLog.Notice> owner =
          Load.spawn(
              system,
              Behaviors.receiveMessage(
                  notice -> {
                    recovered.countDown();
                    return Behaviors.same();
                  }),
              "owner");
      began = System.nanoTime();
      partitionLog(system, owner);
    }
    Load.await(recovered);
    System.out.println((System.nanoTime() - began) / 1e6);
    terminate(system);
  }
}
