package io.tidemark.benchmark;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Props;
import akka.actor.typed.SpawnProtocol;
import akka.actor.typed.javadsl.AskPattern;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Some persistent actors that write as fast as they can. */
public final class Load {
  /**
   * What was measured.
   *
   * @param cpuMicros what this process computed for an event, which others on the machine disturb
   *     less than the rate
   * @param latencies nanoseconds from the command to the acknowledged event
   */
  record Result(double eventsPerSecond, double cpuMicros, Histogram latencies) {}

  private Load() {}

  static Result run(
      Contestant contestant, Path parent, int entities, int bytes, Duration warmUp, Duration time)
      throws Exception {
    Path directory = Files.createTempDirectory(parent, "journal-");
    ActorSystem<SpawnProtocol.Command> system =
        ActorSystem.create(SpawnProtocol.create(), "benchmark", contestant.config(directory));
    try {
      LongAdder count = new LongAdder();
      ConcurrentHistogram latencies = new ConcurrentHistogram(TimeUnit.MINUTES.toNanos(1), 3);
      CountDownLatch ready = new CountDownLatch(entities);
      List<ActorRef<Writer.Command>> writers = new ArrayList<>();
      byte[] event = event(bytes);
      for (int i = 0; i < entities; i++) {
        writers.add(
            spawn(
                system,
                Writer.create(
                    "writer-" + i,
                    event,
                    nanos -> {
                      count.increment();
                      latencies.recordValue(Math.min(nanos, latencies.getHighestTrackableValue()));
                    },
                    ready::countDown),
                "writer-" + i));
      }
      await(ready);
      writers.forEach(it -> it.tell(Writer.Command.WRITE));
      TimeUnit.NANOSECONDS.sleep(warmUp.toNanos());
      latencies.reset();
      long began = System.nanoTime();
      long before = count.sum();
      long cpuBefore = cpuNanos();
      TimeUnit.NANOSECONDS.sleep(time.toNanos());
      long events = count.sum() - before;
      double rate = events * 1e9 / (System.nanoTime() - began);
      return new Result(rate, (cpuNanos() - cpuBefore) / 1e3 / events, latencies.copy());
    } finally {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().get(1, TimeUnit.MINUTES);
      delete(directory);
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Not compressible, and always the same. */
  static byte[] event(int bytes) {
    byte[] event = new byte[bytes];
    new Random(bytes).nextBytes(event);
    return event;
  }

  static <T> ActorRef<T> spawn(
      ActorSystem<SpawnProtocol.Command> system, Behavior<T> behavior, String name)
      throws Exception {
    return AskPattern.<SpawnProtocol.Command, ActorRef<T>>ask(
            system,
            replyTo -> new SpawnProtocol.Spawn<>(behavior, name, Props.empty(), replyTo),
            Duration.ofMinutes(1),
            system.scheduler())
        .toCompletableFuture()
        .get(1, TimeUnit.MINUTES);
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(5, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the actors have not recovered within 5 minutes");
    }
  }

  /** A directory with all that is in it. */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
