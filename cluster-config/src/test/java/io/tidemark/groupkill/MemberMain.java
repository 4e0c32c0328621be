package io.tidemark.groupkill;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import akka.NotUsed;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.RunnableGraph;
import akka.stream.javadsl.Sink;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.local.ProcessCluster;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.CommittableMessage;
import io.tidemark.client.CommittableOffset;
import io.tidemark.client.CommittableOffsetBatch;
import io.tidemark.client.Committer;
import io.tidemark.client.CommitterSettings;
import io.tidemark.client.Consumer;
import io.tidemark.client.Consumer.DrainingControl;
import io.tidemark.client.ConsumerEvent;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TidemarkClient;
import io.tidemark.groupkill.MemberEvent.Kind;
import io.tidemark.serialization.Deserializer;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A JVM with one member of a group, beside the cluster. It does what its standard input says, tells
 * what it does on its standard output, and ends with whoever started it.
 */
final class MemberMain {
  static final String TOPIC = "orders";
  static final String GROUP = "billing";
  static final int FETCH_BYTES = 256 << 10;
  static final int PREFETCH = 2;

  /** Longer than a coordinator is away, so that what is handed over in order is committed. */
  static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(20);

  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(2);

  /** More than the topic has. */
  private static final int MAX_PARTITIONS = 100;

  private final OutputStream out;
  private final ActorSystem<Void> system;
  private final TidemarkClient client;
  private final boolean partitioned;
  private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
  private DrainingControl<?> control;

  private MemberMain(boolean partitioned, List<String> brokers, OutputStream out) {
    this.partitioned = partitioned;
    this.out = out;
    this.system =
        ActorSystem.create(
            Behaviors.empty(),
            ProcessCluster.SYSTEM,
            ConfigFactory.parseResources("tidemark-client.conf")
                .withFallback(ConfigFactory.load())
                .resolve());
    this.client = new TidemarkClient(system, new ClusterNodes(system, brokers));
  }

  /**
   * @param args whether each partition has a stream of its own, then the brokers' addresses
   */
  public static void main(String[] args) throws IOException {
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    // What others print is not for whoever reads the events.
    System.setOut(System.err);
    List<String> brokers = List.of(args).subList(1, args.length);
    MemberMain member = new MemberMain(Boolean.parseBoolean(args[0]), brokers, out);
    try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        member.obey(line);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private void obey(String command) {
    switch (command) {
      case "join" -> join();
      case "leave" -> leave();
      case "stop" -> {
        gate = new CompletableFuture<>();
        tell(Kind.STOPPED, -1, -1, -1);
      }
      case "resume" -> gate.complete(null);
      case "heap" -> tell(Kind.HEAP, -1, heapInUse(), -1);
      default -> throw new IllegalArgumentException(command);
    }
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private void join() {
    DrainingControl<?> running = stream().run(system);
    control = running;
    running
        .streamCompletion()
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                failed(failure);
              }
            });
  }

  private void leave() {
    control
        .drainAndShutdown()
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                tell(Kind.LEFT, -1, -1, -1);
              } else {
                failed(failure);
              }
            });
  }

  private void failed(Throwable failure) {
    failure.printStackTrace();
    tell(Kind.FAILED, -1, -1, -1);
  }

  private RunnableGraph<? extends DrainingControl<?>> stream() {
    ConsumerSettings<ByteBuffer, Integer> settings =
        ConsumerSettings.create(
                client, Deserializer.byteBuffer(), (from, data) -> data.getInt(data.position()))
            .withGroupId(GROUP)
            .withHeartbeatInterval(Duration.ofMillis(500))
            .withSessionTimeout(SESSION_TIMEOUT)
            .withDrainTimeout(DRAIN_TIMEOUT)
            .withFetchMaxBytes(FETCH_BYTES)
            .withPrefetch(PREFETCH)
            .withListener(this::told);
    if (!partitioned) {
      return Consumer.committableSource(settings, Subscriptions.topics(TOPIC))
          .via(work())
          .toMat(Sink.ignore(), Consumer::createDrainingControl);
    }
    return Consumer.committablePartitionedSource(settings, Subscriptions.topics(TOPIC))
        .mapAsyncUnordered(
            MAX_PARTITIONS,
            partition -> partition.second().via(work()).runWith(Sink.ignore(), system))
        .toMat(Sink.ignore(), Consumer::createDrainingControl);
  }

  /** Of one stream: each record is told of before it can be committed. */
  private Flow<CommittableMessage<ByteBuffer, Integer>, CommittableOffsetBatch, NotUsed> work() {
    Deque<CommittableOffset> uncommitted = new ArrayDeque<>();
    return Flow.<CommittableMessage<ByteBuffer, Integer>>create()
        .mapAsync(1, message -> gate.thenApply(open -> consumed(message)))
        .map(
            offset -> {
              uncommitted.add(offset);
              return offset;
            })
        .via(
            Committer.batchFlow(
                CommitterSettings.create(client).withMaxInterval(Duration.ofMillis(200))))
        .map(
            batch -> {
              Map<Integer, Long> furthest = new HashMap<>();
              for (int i = 0; i < batch.size(); i++) {
                CommittableOffset offset = uncommitted.remove();
                furthest.put(offset.partition().partition(), offset.offset());
              }
              furthest.forEach((partition, offset) -> tell(Kind.COMMITTED, partition, offset, -1));
              return batch;
            });
  }

  private CommittableOffset consumed(CommittableMessage<ByteBuffer, Integer> message) {
    ConsumerRecord<ByteBuffer, Integer> record = message.record();
    tell(Kind.CONSUMED, record.partition(), record.offset(), record.value());
    return message.committableOffset();
  }

  private void told(ConsumerEvent event) {
    int partition = event.partition().partition();
    if (event instanceof ConsumerEvent.Assigned) {
      tell(Kind.ASSIGNED, partition, -1, -1);
    } else if (event instanceof ConsumerEvent.Revoked) {
      tell(Kind.REVOKED, partition, -1, -1);
    } else if (event instanceof ConsumerEvent.Lost) {
      tell(Kind.LOST, partition, -1, -1);
    } else {
      failed(new IllegalStateException("no records were to be gone: " + event));
    }
  }

  /**
   * In the order of their times, and each by one write to a pipe, which is done wholly or not at
   * all when the process is killed.
   */
  private synchronized void tell(Kind kind, int partition, long offset, int number) {
    MemberEvent event = new MemberEvent(kind, System.nanoTime(), partition, offset, number);
    try {
      out.write(event.line().getBytes(US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
