package io.tidemark.wire;

import akka.actor.typed.ActorRef;

/** How a message leaves for another actor, which may be on another node. May be lost, as any. */
@FunctionalInterface
public interface Courier {
  <T> void tell(ActorRef<T> to, T message);
}
