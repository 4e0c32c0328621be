package io.tidemark.testkit;

import akka.actor.Address;
import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorSystem;
import akka.remote.RemoteActorRefProvider;
import akka.remote.RemoteTransport;
import akka.remote.testkit.Blackhole;
import akka.remote.testkit.Direction;
import akka.remote.testkit.SetThrottle;
import akka.remote.testkit.ThrottleMode;
import akka.remote.testkit.Unthrottled;
import java.util.concurrent.CompletionStage;
import scala.jdk.javaapi.FutureConverters;

/** What actor systems do not say to each other, by Akka's own transport for tests. */
final class Cuts {
  /** Without it there are none. */
  static final String TEST_MODE = "akka.remote.artery.advanced.test-mode";

  private Cuts() {}

  /** Drops from now on what one system sends to the other's address, and what comes from there. */
  static CompletionStage<Object> cut(ActorSystem<?> from, Address to) {
    return set(from, to, Blackhole.getInstance());
  }

  static CompletionStage<Object> heal(ActorSystem<?> from, Address to) {
    return set(from, to, Unthrottled.getInstance());
  }

  private static CompletionStage<Object> set(ActorSystem<?> from, Address to, ThrottleMode mode) {
    ExtendedActorSystem system = (ExtendedActorSystem) from.classicSystem();
    RemoteTransport transport = ((RemoteActorRefProvider) system.provider()).transport();
    return FutureConverters.asJava(
        transport.managementCommand(new SetThrottle(to, Direction.bothDirection(), mode)));
  }
}
