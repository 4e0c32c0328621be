package io.tidemark.cli;

import static io.tidemark.cli.local.Answers.await;
import static io.tidemark.cli.local.Answers.awaitQuietly;

import akka.Done;
import io.tidemark.cli.local.Directories;
import io.tidemark.cli.local.NodeProcesses;
import io.tidemark.cli.local.ProcessCluster;
import io.tidemark.cli.local.Progress;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerFailure;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicDescription;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.serialization.Serializer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One run of the demo, from starting the nodes to removing what they left. */
final class Demo {
  private static final String TOPIC = "demo";
  private static final int REPLICAS = 3;
  private static final int MAX_RECORD_BYTES = 1 << 20;
  private static final int MAX_WAITING_BYTES = 32 << 20;
  private static final long POLL_MILLIS = 50;

  /** What is to be done. */
  record Plan(List<Path> files, int nodes, int partitions, Acks acks, DemoCommand.Fault fault) {}

  private final Plan plan;
  private final Path dir;
  private final boolean temporary;
  private final Progress progress = Progress.onStandardError();
  private final AtomicBoolean cleaned = new AtomicBoolean();
  private final CompletableFuture<Integer> killed = new CompletableFuture<>();
  private NodeProcesses nodes;
  private ProcessCluster cluster;
  private TidemarkClient client;
  private DemoLedger ledger;
  private long rejected;

  Demo(Plan plan, Path dir) throws IOException {
    this.plan = plan;
    this.temporary = dir == null;
    this.dir = temporary ? Files.createTempDirectory("tidemark-demo") : dir.toAbsolutePath();
  }

  DemoResult run() throws Exception {
    Thread cleaner = new Thread(this::cleanUp, "demo-clean-up");
    Runtime.getRuntime().addShutdownHook(cleaner);
    try {
      return replicateAndCheck();
    } catch (Exception e) {
      if (cleaned.get()) {
        // Interrupted: the process ends when everything is cleaned up, and this is no news.
        new CountDownLatch(1).await();
      }
      keepLogs();
      throw e;
    } finally {
      cleanUp();
    }
  }

  private DemoResult replicateAndCheck() throws Exception {
    int records = countRecords();
    ledger = new DemoLedger(records, plan.partitions());
    nodes =
        new NodeProcesses(
            dir, plan.nodes(), new NodeProcesses.Launch(Main.class, Demo::jvmOptionsOf));
    cluster = new ProcessCluster(nodes, progress);
    client = cluster.client();
    cluster.awaitNodes();
    await(
        client.createTopic(TOPIC, plan.partitions(), REPLICAS, Map.of("min-insync-replicas", "2")));
    TopicDescription before = cluster.awaitInSync("topic ready", TOPIC);
    send(records);
    int killedBroker = killed.get(1, TimeUnit.MINUTES);
    if (killedBroker > 0) {
      nodes.start(killedBroker);
    }
    boolean restored = true;
    TopicDescription after;
    try {
      after = cluster.awaitInSync("replicas in sync", TOPIC);
    } catch (IllegalStateException e) {
      progress.say(e.getMessage());
      restored = false;
      after = await(client.describeTopic(TOPIC));
    }
    DemoCheck check = new DemoCheck(client, after, ledger);
    check.run(progress);
    progress.end();
    return result(before, after, check, killedBroker, restored);
  }

  /** The first node stands for election first, so that it is the one with everything to lose. */
  private static List<String> jvmOptionsOf(int id) {
    return List.of(
        "-Xms128m",
        "-Xmx512m",
        "-XX:+UseSerialGC",
        "-Dtidemark.controller.election-timeout=" + (id == 1 ? 250 : 500) + "ms");
  }

  private DemoResult result(
      TopicDescription before,
      TopicDescription after,
      DemoCheck check,
      int killedBroker,
      boolean restored)
      throws IOException {
    boolean ok =
        check.lost() == 0
            && check.duplicated() == 0
            && check.reordered() == 0
            && check.strange() == 0
            && ledger.failures() == 0
            && ledger.acked() == ledger.sent()
            && restored
            && check.replicasIdentical();
    if (!ok) {
      keepLogs();
    }
    return new DemoResult(
        new DemoResult.Figures(
            plan.nodes(),
            plan.partitions(),
            ledger.sent() + rejected,
            ledger.acked(),
            check.read(),
            check.lost(),
            check.duplicated(),
            check.reordered(),
            rejected,
            killedBroker,
            ledger.longestStallMillis(),
            restored,
            check.replicasIdentical(),
            ledger.recordsPerSecond(),
            ok),
        before.partitions(),
        after.partitions(),
        check.truncated(),
        check.strange(),
        ledger.longestStall(),
        ledger.firstFailure());
  }

  /** Those that fit; the others are named while they are sent. */
  private int countRecords() throws IOException {
    int count = 0;
    for (Path file : plan.files()) {
      try (Lines lines = new Lines(file, MAX_RECORD_BYTES)) {
        while (lines.next() != null) {
          count += lines.length() <= MAX_RECORD_BYTES ? 1 : 0;
        }
      }
    }
    return count;
  }

  private void send(int records) throws Exception {
    Semaphore room = new Semaphore(MAX_WAITING_BYTES);
    Producer<ByteBuffer, byte[]> producer =
        Producer.create(
            ProducerSettings.create(client, Serializer.byteBuffer(), Serializer.bytes())
                .withAcks(plan.acks()));
    breakSomethingAt(records / 2);
    for (Path file : plan.files()) {
      try (Lines lines = new Lines(file, MAX_RECORD_BYTES)) {
        byte[] value;
        for (long number = 1; (value = lines.next()) != null; number++) {
          if (lines.length() > MAX_RECORD_BYTES) {
            rejected++;
            progress.say(
                "%s:%d: rejected, a record of %,d bytes is above the maximum of %,d"
                    .formatted(file, number, lines.length(), MAX_RECORD_BYTES));
          } else {
            send(producer, value, room, records);
          }
        }
      }
    }
    CompletableFuture<Done> flushed = producer.flush().toCompletableFuture();
    while (!flushed.isDone()) {
      progress.show("acknowledged", ledger.acked(), records);
      awaitQuietly(flushed, POLL_MILLIS * 4);
    }
    producer.close();
    breakSomethingAt(0);
    progress.show("acknowledged", ledger.acked(), records);
  }

  private void send(
      Producer<ByteBuffer, byte[]> producer, byte[] value, Semaphore room, int records)
      throws InterruptedException {
    int cost = Math.min(value.length + 100, MAX_WAITING_BYTES);
    while (!room.tryAcquire(cost, POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      progress.show("acknowledged", ledger.acked(), records);
    }
    int record = ledger.sending(value, System.nanoTime());
    if (record % 1_000 == 0) {
      progress.show("acknowledged", ledger.acked(), records);
    }
    producer
        .send(
            new ProducerRecord<>(TOPIC, ledger.partitionOf(record), DemoCheck.keyOf(record), value))
        .whenComplete(
            (written, failure) -> {
              room.release(cost);
              settled(record, failure, records);
            });
  }

  private void settled(int record, Throwable failure, int records) {
    if (failure == null) {
      ledger.acknowledged(record, System.nanoTime());
      if (ledger.acked() >= records / 2) {
        breakSomethingAt(0);
      }
      return;
    }
    Throwable cause = failure instanceof CompletionException c ? c.getCause() : failure;
    ledger.failed(record, cause.getMessage(), System.nanoTime());
    if (cause instanceof ProducerFailure refused && refused.error() == ErrorCode.RECORD_TOO_LARGE) {
      progress.say(cause.getMessage());
    }
  }

  /** Once, when nothing more has to be acknowledged before it. */
  private void breakSomethingAt(int acknowledgedFirst) {
    if (acknowledgedFirst > 0 || !breaking.compareAndSet(false, true)) {
      return;
    }
    Thread breaker = new Thread(this::breakSomething, "demo-fault");
    breaker.setDaemon(true);
    breaker.start();
  }

  private final AtomicBoolean breaking = new AtomicBoolean();

  private void breakSomething() {
    try {
      switch (plan.fault()) {
        case NONE -> killed.complete(-1);
        case ALL -> {
          progress.say("killing all nodes");
          nodes.killAll();
          nodes.startAll();
          killed.complete(0);
        }
        default -> {
          int victim = victim();
          progress.say("killing node " + victim);
          nodes.kill(victim);
          killed.complete(victim);
        }
      }
    } catch (Exception e) {
      killed.completeExceptionally(e);
    }
  }

  private int victim() throws Exception {
    TopicDescription topic = await(client.describeTopic(TOPIC));
    if (plan.fault() == DemoCommand.Fault.CONTROLLER) {
      return topic.controllerId();
    }
    Map<Integer, Integer> led = new HashMap<>();
    topic.partitions().forEach(partition -> led.merge(partition.leader(), 1, Integer::sum));
    return led.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }

  private void keepLogs() throws IOException {
    if (!temporary || nodes == null) {
      return;
    }
    Path kept = Files.createTempDirectory("tidemark-demo-logs");
    for (int id = 1; id <= nodes.count(); id++) {
      if (Files.exists(nodes.logOf(id))) {
        Files.copy(nodes.logOf(id), kept.resolve("node-" + id + ".log"));
      }
    }
    progress.say("the nodes' logs are kept in " + kept);
  }

  private void cleanUp() {
    if (!cleaned.compareAndSet(false, true)) {
      return;
    }
    if (cluster != null) {
      cluster.system().terminate();
    }
    if (nodes != null && temporary) {
      nodes.discard();
    } else if (nodes != null) {
      nodes.close();
    }
    if (temporary) {
      try {
        Directories.delete(dir);
      } catch (IOException e) {
        progress.say("cannot remove " + dir + ": " + e);
      }
    }
  }
}
