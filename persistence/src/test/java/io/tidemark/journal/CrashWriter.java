package io.tidemark.journal;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.typed.PersistenceId;
import akka.persistence.typed.RecoveryCompleted;
import akka.persistence.typed.javadsl.CommandHandler;
import akka.persistence.typed.javadsl.EventHandler;
import akka.persistence.typed.javadsl.EventSourcedBehavior;
import akka.persistence.typed.javadsl.RetentionCriteria;
import akka.persistence.typed.javadsl.SignalHandler;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Writes with several persistent actors until it is killed, and prints what each has recovered and
 * what is acknowledged: {@code <id> <sequence number> recovered <state>} and {@code <id> <sequence
 * number> ok}.
 */
final class CrashWriter {
  /**
   * A writer, whose events follow from its id, their sequence number and a seed.
   *
   * @param large every how many events one has at least 64 KiB; 0 for none
   * @param deletes whether it takes snapshots and deletes the events before them
   */
  record Writer(String id, String journal, int large, boolean deletes) {
    String event(long seed, long sequenceNr) {
      SplittableRandom random =
          new SplittableRandom(seed ^ id.hashCode() * 0x9e3779b97f4a7c15L ^ sequenceNr);
      boolean isLarge = large > 0 && sequenceNr % large == 0;
      int length = isLarge ? 64 * 1024 + random.nextInt(64 * 1024) : random.nextInt(2_000);
      StringBuilder text = new StringBuilder(length + 32).append(id).append('/').append(sequenceNr);
      while (text.length() < length) {
        text.append('/').append(random.nextLong());
      }
      return text.toString();
    }

    /** How many events are written at once when the first has this sequence number. */
    int atOnce(long firstSequenceNr) {
      return 1 + new SplittableRandom(id.hashCode() + firstSequenceNr).nextInt(3);
    }

    static long next(long state, String event) {
      return state * 31 + event.hashCode();
    }
  }

  static final List<Writer> WRITERS =
      List.of(
          new Writer("writer-0", "each-commit", 0, false),
          new Writer("writer-1", "each-commit", 0, false),
          new Writer("writer-2", "each-commit", 0, false),
          new Writer("writer-3", "each-commit", 0, true),
          new Writer("writer-4", "each-commit", 5, true),
          new Writer("writer-5", "os", 0, false),
          new Writer("writer-6", "os", 2, true),
          new Writer("writer-7", "os", 0, true));

  private CrashWriter() {}

  /** Arguments: the directory and the seed. */
  public static void main(String[] args) {
    long seed = Long.parseLong(args[1]);
    ActorSystem.create(
        Behaviors.<Void>setup(
            context -> {
              WRITERS.forEach(it -> context.spawn(Events.create(it, seed), it.id));
              return Behaviors.empty();
            }),
        "crash",
        ConfigFactory.parseString(
                """
                tidemark.journal.each-commit.lanes = 1
                tidemark.storage.write-ahead-size = 1 MiB
                tidemark.storage.segment.max-size = 1 MiB
                """)
            .withFallback(TestConfig.withJournal("each-commit", Path.of(args[0]))));
  }

  private enum Next {
    WRITE
  }

  /** Its state is a hash of all its events. */
  private static final class Events extends EventSourcedBehavior<Next, String, Long> {
    private final Writer writer;
    private final long seed;
    private final ActorContext<Next> context;

    private Events(Writer writer, long seed, ActorContext<Next> context) {
      super(PersistenceId.ofUniqueId(writer.id));
      this.writer = writer;
      this.seed = seed;
      this.context = context;
    }

    static Behavior<Next> create(Writer writer, long seed) {
      return Behaviors.setup(context -> new Events(writer, seed, context));
    }

    @Override
    public String journalPluginId() {
      return "tidemark.journal." + writer.journal;
    }

    @Override
    public String snapshotPluginId() {
      return "tidemark.snapshot-store";
    }

    @Override
    public RetentionCriteria retentionCriteria() {
      return writer.deletes
          ? RetentionCriteria.snapshotEvery(20, 2).withDeleteEventsOnSnapshot()
          : RetentionCriteria.disabled();
    }

    @Override
    public Long emptyState() {
      return 0L;
    }

    @Override
    public SignalHandler<Long> signalHandler() {
      return newSignalHandlerBuilder()
          .onSignal(RecoveryCompleted.instance(), state -> say("recovered " + state))
          .build();
    }

    private void say(String what) {
      System.out.println(writer.id + " " + lastSequenceNumber(context) + " " + what);
      context.getSelf().tell(Next.WRITE);
    }

    @Override
    public CommandHandler<Next, String, Long> commandHandler() {
      return newCommandHandlerBuilder()
          .forAnyState()
          .onCommand(
              Next.class,
              next -> {
                long first = lastSequenceNumber(context) + 1;
                List<String> events =
                    LongStream.range(first, first + writer.atOnce(first))
                        .mapToObj(it -> writer.event(seed, it))
                        .toList();
                return Effect().persist(events).thenRun(() -> say("ok"));
              })
          .build();
    }

    @Override
    public EventHandler<Long, String> eventHandler() {
      return newEventHandlerBuilder().forAnyState().onAnyEvent(Writer::next);
    }
  }
}
