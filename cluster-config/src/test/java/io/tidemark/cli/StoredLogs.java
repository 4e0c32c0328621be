package io.tidemark.cli;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import com.typesafe.config.ConfigFactory;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.PartitionLog;
import io.tidemark.record.Compression;
import io.tidemark.record.Header;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A storage directory with a replicated log and the log of an ordinary persistent actor. */
final class StoredLogs {
  static final String REPLICATED = "orders-0@1";
  static final String ORDINARY = "cart|\u001b[2J";

  private StoredLogs() {}

  private record Put(String text, ActorRef<String> replyTo) {}

  /** Texts, with a snapshot of the second. */
  private static final class Cart extends EventSourcedBehavior<Put, String, String> {
    private Cart() {
      super(PersistenceId.ofUniqueId(ORDINARY));
    }

    @Override
    public String journalPluginId() {
      return "tidemark.journal.each-commit";
    }

    @Override
    public String snapshotPluginId() {
      return "tidemark.snapshot-store";
    }

    @Override
    public boolean shouldSnapshot(String state, String event, long sequenceNr) {
      return sequenceNr == 2;
    }

    @Override
    public String emptyState() {
      return "";
    }

    @Override
    public CommandHandler<Put, String, String> commandHandler() {
      return newCommandHandlerBuilder()
          .forAnyState()
          .onCommand(
              Put.class, put -> Effect().persist(put.text()).thenReply(put.replyTo(), s -> s))
          .build();
    }

    @Override
    public EventHandler<String, String> eventHandler() {
      return (state, event) -> event;
    }
  }

  /** Writes the logs, and closes the directory. */
  static void write(Path directory) {
    ActorTestKit kit =
        ActorTestKit.create(
            "writer",
            ConfigFactory.parseMap(
                    Map.of(
                        "tidemark.storage.directory", directory.toString(),
                        "akka.actor.provider", "local",
                        "akka.actor.testkit.typed.single-expect-default", "60s",
                        "akka.actor.allow-java-serialization", "on"))
                .withFallback(ConfigFactory.load()));
    try {
      TestProbe<PartitionLog.Notice> notices = kit.createTestProbe();
      ActorRef<PartitionLog.Command> log =
          kit.spawn(
              PartitionLog.create(
                  REPLICATED,
                  "tidemark.journal.each-commit",
                  "tidemark.log-snapshot-store",
                  notices.ref()));
      notices.receiveMessage();
      for (LogEvent event :
          List.of(
              new LeaderEpochStarted(0, 0),
              new BatchesAppended(firstBatch(), 0),
              new LeaderEpochStarted(4, 2),
              new BatchesAppended(secondBatch(), 2))) {
        log.tell(new PartitionLog.Persist(0, event));
        notices.receiveMessage();
      }
      TestProbe<String> probe = kit.createTestProbe();
      ActorRef<Put> cart = kit.spawn(Behaviors.setup(context -> new Cart()));
      for (String text : List.of("tea", "milk", "sugar")) {
        cart.tell(new Put(text, probe.ref()));
        probe.receiveMessage();
      }
    } finally {
      kit.shutdownTestKit();
    }
  }

  private static ByteBuffer firstBatch() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    builder.append(1_700_000_000_000L, utf8("key"), utf8("two\ncups"), List.of());
    List<Header> headers = List.of(new Header("source", utf8("shop")));
    builder.append(1_700_000_000_001L, null, ByteBuffer.wrap(new byte[] {-1, 0x7f}), headers);
    return builder.producer(9, (short) 1, 5).build(0, 0);
  }

  private static ByteBuffer secondBatch() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.GZIP, 64);
    builder.append(1_700_000_000_002L, utf8("k"), null, List.of());
    return builder.build(2, 4);
  }

  private static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The directory's files, with what differs from run to run replaced. */
  static String normal(String output, Path directory) {
    return output
        .replace(directory.toString(), "DIR")
        .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", new UUID(0, 0).toString())
        .replaceAll("20[2-9][4-9]-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME")
        .replaceAll("in [0-9.]+ s \\(\\d+ MB/s\\)", "in SECONDS");
  }
}
