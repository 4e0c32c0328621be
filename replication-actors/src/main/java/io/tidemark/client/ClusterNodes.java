package io.tidemark.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.ActorSystem;
import io.tidemark.wire.BrokerMessage;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The brokers of a cluster by address: the way in for clients, on whatever node they run. */
public final class ClusterNodes {
  /** Where a node's broker lives. */
  public static final String BROKER_PATH = "/system/tidemark/broker";

  private final ActorRefResolver resolver;
  private final String systemName;
  private final List<String> bootstrap;
  private final AtomicInteger next = new AtomicInteger();

  /**
   * @param bootstrap {@code host:port} of some brokers' actor systems; at least one
   */
  public ClusterNodes(ActorSystem<?> system, List<String> bootstrap) {
    if (bootstrap.isEmpty()) {
      throw new IllegalArgumentException("no broker address given; at least one is needed");
    }
    this.resolver = ActorRefResolver.get(system);
    this.systemName = system.name();
    this.bootstrap = List.copyOf(bootstrap);
  }

  /** One of the known brokers, another one each time. */
  ActorRef<BrokerMessage> any() {
    return at(bootstrap.get(Math.floorMod(next.getAndIncrement(), bootstrap.size())));
  }

  ActorRef<BrokerMessage> at(String address) {
    return resolver.resolveActorRef("akka://" + systemName + "@" + address + BROKER_PATH);
  }
}
