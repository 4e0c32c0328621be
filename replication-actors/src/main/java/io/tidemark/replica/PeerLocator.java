package io.tidemark.replica;

import akka.actor.typed.ActorRef;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.ReplicaMessage;

/** Finds the replica of a partition on a broker, wherever that broker runs. */
@FunctionalInterface
public interface PeerLocator {

  /** The replica answers to {@code replyTo}, if it is reachable; otherwise nothing comes. */
  void locate(PartitionId partition, int broker, ActorRef<ReplicaMessage.Located> replyTo);
}
