package io.tidemark.journal;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import java.nio.file.Path;

/** Writes with several persistent actors until it is killed, and prints what is acknowledged. */
final class CrashWriter {
  static final int WRITERS = 6;

  private CrashWriter() {}

  public static void main(String[] args) {
    ActorSystem.create(
        Behaviors.<Void>setup(
            context -> {
              for (int i = 0; i < WRITERS; i++) {
                String id = "writer-" + i;
                String journal = "tidemark.journal." + (i % 3 == 2 ? "os" : "each-commit");
                ActorRef<Counter.Command> counter = context.spawn(Counter.create(id, journal), id);
                context.spawn(feeder(id, counter), "feeder-" + i);
              }
              return Behaviors.empty();
            }),
        "crash",
        TestConfig.withJournal("each-commit", Path.of(args[0])));
  }

  private static Behavior<Long> feeder(String id, ActorRef<Counter.Command> counter) {
    return Behaviors.setup(
        context -> {
          counter.tell(new Counter.Add(text(id, 1), context.getSelf()));
          return Behaviors.receive(Long.class)
              .onMessage(
                  Long.class,
                  acknowledged -> {
                    System.out.println(id + " " + acknowledged + " ok");
                    counter.tell(new Counter.Add(text(id, acknowledged), context.getSelf()));
                    return Behaviors.same();
                  })
              .build();
        });
  }

  private static String text(String id, long number) {
    return id + "/" + "-".repeat((int) (number * 37 % 2_000));
  }
}
