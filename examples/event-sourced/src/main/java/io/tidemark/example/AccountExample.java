package io.tidemark.example;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.AskPattern;
import akka.actor.typed.javadsl.Behaviors;
import akka.persistence.query.EventEnvelope;
import akka.persistence.query.PersistenceQuery;
import akka.stream.javadsl.Sink;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.journal.SegmentReadJournal;
import io.tidemark.journal.Storage;
import io.tidemark.journal.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Opens an account in a directory, deposits, withdraws, and shows what the journal holds then. */
public final class AccountExample {
  private static final String NUMBER = "4711";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * What one run of the application saw.
   *
   * @param before the balance that it found
   * @param after the balance that it left
   * @param events those that are still in the journal
   */
  record Visit(long before, long after, List<EventEnvelope> events) {}

  private static final class StoppedException extends Exception {
    private static final long serialVersionUID = 1;

    StoppedException() {
      super("the account has stopped; the lines above say why. Its balance is safe");
    }
  }

  private AccountExample() {}

  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: examples/event-sourced/run DIRECTORY");
      System.exit(2);
    }
    try {
      show(visit(in(args[0]), 150));
    } catch (StorageException | StoppedException e) {
      System.err.println("account: " + e.getMessage());
      System.exit(1);
    }
  }

  private static void show(Visit visit) {
    System.out.println("balance before " + visit.before() + ", after " + visit.after());
    System.out.println("events in the journal, after the older ones were deleted:");
    visit.events().forEach(it -> System.out.println(it.sequenceNr() + " " + it.event()));
  }

  /** The application's settings with this directory. */
  static Config in(String directory) {
    return ConfigFactory.parseMap(Map.of("tidemark.storage.directory", directory))
        .withFallback(ConfigFactory.load());
  }

  /** Starts the application, deposits 10 cents several times, withdraws 1, and ends it. */
  static Visit visit(Config config, int deposits) throws Exception {
    ActorSystem<Account.Command> account =
        ActorSystem.create(Behaviors.setup(AccountExample::open), "bank", config);
    try {
      // Throws what is wrong with the directory.
      Storage.get(account);
      long before = ask(account, Account.GetBalance::new);
      for (int i = 0; i < deposits; i++) {
        ask(account, replyTo -> new Account.Deposit(10, replyTo));
      }
      long after = ask(account, replyTo -> new Account.Withdraw(1, replyTo));
      return new Visit(before, after, events(account));
    } finally {
      account.terminate();
      account.getWhenTerminated().toCompletableFuture().get();
    }
  }

  /** The account, on a storage that works. */
  private static Behavior<Account.Command> open(ActorContext<Account.Command> context) {
    try {
      Storage.get(context.getSystem());
      return Account.create(NUMBER);
    } catch (StorageException e) {
      return Behaviors.stopped();
    }
  }

  /** The account's answer; an account whose journal fails stops, and its system with it. */
  private static long ask(
      ActorSystem<Account.Command> account, Function<ActorRef<Long>, Account.Command> command)
      throws Exception {
    CompletableFuture<Long> answer =
        AskPattern.<Account.Command, Long>ask(
                account, command::apply, PATIENCE, account.scheduler())
            .toCompletableFuture();
    account.getWhenTerminated().thenRun(() -> answer.completeExceptionally(new StoppedException()));
    try {
      return get(answer);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoppedException stopped ? stopped : e;
    }
  }

  private static List<EventEnvelope> events(ActorSystem<?> system)
      throws InterruptedException, ExecutionException, TimeoutException {
    return get(
        PersistenceQuery.get(system)
            .getReadJournalFor(SegmentReadJournal.Java.class, SegmentReadJournal.IDENTIFIER)
            .currentEventsByPersistenceId("account|" + NUMBER, 0, Long.MAX_VALUE)
            .runWith(Sink.seq(), system));
  }

  private static <T> T get(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }
}
