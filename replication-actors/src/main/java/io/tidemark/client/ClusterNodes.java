package io.tidemark.client;

import akka.actor.ActorSelection;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import akka.pattern.AskTimeoutException;
import akka.pattern.Patterns;
import io.tidemark.wire.BrokerMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** The brokers of a cluster by address: the way in for clients, on whatever node they run. */
public final class ClusterNodes {
  /** Where a node's broker lives. */
  public static final String BROKER_PATH = "/system/tidemark/broker";

  /** For so long others are asked instead of a broker that did not answer. */
  private static final long SILENCE_NANOS = 10_000_000_000L;

  private final akka.actor.ActorSystem system;
  private final List<String> bootstrap;
  private final AtomicInteger next = new AtomicInteger();
  private final Map<String, Long> silentSince = new ConcurrentHashMap<>();

  /**
   * @param bootstrap {@code host:port} of some brokers' actor systems; at least one
   */
  public ClusterNodes(ActorSystem<?> system, List<String> bootstrap) {
    if (bootstrap.isEmpty()) {
      throw new IllegalArgumentException("no broker address given; at least one is needed");
    }
    this.system = system.classicSystem();
    this.bootstrap = List.copyOf(bootstrap);
  }

  /** To one of the known brokers, another one each time. */
  void tellAny(BrokerMessage message) {
    tell(nextAddress(), message);
  }

  /**
   * To the broker at an address, which need not be one of the known.
   *
   * @param address {@code host:port} of its actor system
   */
  public void tell(String address, BrokerMessage message) {
    brokerAt(address).tell(message, akka.actor.ActorRef.noSender());
  }

  <T> CompletionStage<T> askAny(
      Class<T> answer, Function<ActorRef<T>, BrokerMessage> question, Duration patience) {
    return ask(nextAddress(), answer, question, patience);
  }

  <T> CompletionStage<T> ask(
      String address,
      Class<T> answer,
      Function<ActorRef<T>, BrokerMessage> question,
      Duration patience) {
    return Patterns.askWithReplyTo(
            brokerAt(address), replyTo -> question.apply(Adapter.toTyped(replyTo)), patience)
        .handle(
            (answered, failure) -> {
              if (Asking.cause(failure) instanceof AskTimeoutException) {
                silentSince.put(address, System.nanoTime());
                return CompletableFuture.<T>failedStage(
                    new Unanswered(
                        "the broker at %s did not answer within %s; check that it runs and can be reached"
                            .formatted(address, patience)));
              }
              silentSince.remove(address);
              return failure == null
                  ? CompletableFuture.completedStage(answer.cast(answered))
                  : CompletableFuture.<T>failedStage(failure);
            })
        .thenCompose(Function.identity());
  }

  List<String> bootstrap() {
    return bootstrap;
  }

  /** One that was silent just now only when all were. */
  private String nextAddress() {
    long now = System.nanoTime();
    silentSince.values().removeIf(since -> now - since >= SILENCE_NANOS);
    for (int i = 0; i < bootstrap.size(); i++) {
      String address = turn();
      if (!silentSince.containsKey(address)) {
        return address;
      }
    }
    return turn();
  }

  private String turn() {
    return bootstrap.get(Math.floorMod(next.getAndIncrement(), bootstrap.size()));
  }

  /**
   * A selection, because what is sent to a ref does not reach a node that ended in order and came
   * back: the transport keeps its address in quarantine until the new incarnation speaks first,
   * which brokers never do to a client. Only selections pass.
   */
  private ActorSelection brokerAt(String address) {
    return system.actorSelection("akka://" + system.name() + "@" + address + BROKER_PATH);
  }
}
