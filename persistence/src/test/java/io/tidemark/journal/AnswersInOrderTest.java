package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Props;
import akka.persistence.AbstractPersistentActor;
import akka.testkit.javadsl.TestKit;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A classic persistent actor sees its writes, what it deferred behind them and what was rejected in
 * the order in which it asked.
 */
class AnswersInOrderTest {
  private static final int ROUNDS = 200;

  /** Cannot be serialized. */
  record Unfit(Object thing) implements Serializable {}

  private static final class Writer extends AbstractPersistentActor {
    private final ActorRef probe;

    Writer(ActorRef probe) {
      this.probe = probe;
    }

    @Override
    public String persistenceId() {
      return "in-order";
    }

    @Override
    public Receive createReceiveRecover() {
      return receiveBuilder().matchAny(event -> {}).build();
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder().match(Integer.class, this::write).build();
    }

    private void write(int round) {
      persistAsync("a" + round, event -> probe.tell(event, self()));
      deferAsync("b" + round, event -> probe.tell(event, self()));
      if (round % 10 == 0) {
        persistAsync(new Unfit(new Object()), event -> probe.tell("stored", self()));
      }
      persistAllAsync(List.of("c" + round, "d" + round), event -> probe.tell(event, self()));
      deferAsync("e" + round, event -> probe.tell(event, self()));
    }

    @Override
    public void onPersistRejected(Throwable cause, Object event, long seqNr) {
      probe.tell("rejected", self());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"os", "each-commit"})
  void answers_come_in_the_order_of_the_requests(String instance) {
    ActorSystem system = ActorSystem.create("in-order", TestConfig.withJournal(instance));
    try {
      TestKit probe = new TestKit(system);
      ActorRef writer =
          system.actorOf(Props.create(Writer.class, () -> new Writer(probe.getRef())));
      List<String> expected = new ArrayList<>();
      for (int round = 1; round <= ROUNDS; round++) {
        writer.tell(round, ActorRef.noSender());
        expected.add("a" + round);
        expected.add("b" + round);
        if (round % 10 == 0) {
          expected.add("rejected");
        }
        expected.add("c" + round);
        expected.add("d" + round);
        expected.add("e" + round);
      }

      List<String> seen = new ArrayList<>();
      for (int i = 0; i < expected.size(); i++) {
        seen.add((String) probe.receiveOne(Duration.ofMinutes(1)));
      }

      assertEquals(expected, seen);
      probe.watch(writer);
      system.stop(writer);
      probe.expectTerminated(Duration.ofMinutes(1), writer);
      assertFalse(probe.msgAvailable(), "no more than that");
    } finally {
      TestKit.shutdownActorSystem(system);
    }
  }
}
