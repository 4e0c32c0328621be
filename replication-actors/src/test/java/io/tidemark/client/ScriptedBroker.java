package io.tidemark.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Behaviors;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.FindReplica;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import io.tidemark.wire.ReplicaMessage.ListOffsets;
import io.tidemark.wire.ReplicaMessage.ListOffsetsReply;
import io.tidemark.wire.ReplicaMessage.Located;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A broker in the client's own actor system that knows one topic of one partition, tells offsets,
 * and answers whatever else as a test says.
 */
final class ScriptedBroker {
  static final String TOPIC = "orders";
  static final int ID = 1;

  private final String address;
  private volatile Consumer<BrokerMessage> script = message -> {};

  /** Whether it knows of any broker, as one that has just started does not. */
  volatile boolean knowsCluster = true;

  ScriptedBroker(ActorSystem<?> system) {
    this.address = "127.0.0.1:" + system.address().getPort().orElseThrow();
    system.systemActorOf(
        Behaviors.<Void>setup(
            context -> {
              ActorRef<ReplicaMessage> replica =
                  context.spawn(
                      Behaviors.receive(ReplicaMessage.class)
                          .onMessage(ListOffsets.class, ScriptedBroker::list)
                          .onAnyMessage(message -> Behaviors.same())
                          .build(),
                      "replica");
              context.spawn(
                  Behaviors.<BrokerMessage>receiveMessage(
                      message -> {
                        answer(message, replica);
                        return Behaviors.same();
                      }),
                  "broker");
              return Behaviors.empty();
            }),
        "tidemark",
        Props.empty());
  }

  String address() {
    return address;
  }

  /** For all but the topic's description and its replica. */
  void answering(Consumer<BrokerMessage> newScript) {
    script = newScript;
  }

  private void answer(BrokerMessage message, ActorRef<ReplicaMessage> replica) {
    if (message instanceof DescribeTopic ask) {
      ask.replyTo().tell(description(ask.topic()));
    } else if (message instanceof FindReplica find) {
      find.replyTo().tell(new Located(find.partition(), ID, replica, 0));
    } else {
      script.accept(message);
    }
  }

  private TopicDescribed description(String topic) {
    boolean isKnown = topic != null && knowsCluster && !topic.equals("missing");
    List<Integer> all = List.of(ID);
    PartitionState state = new PartitionState(all, all, List.of(), ID, 1, 1, false);
    return new TopicDescribed(
        topic,
        isKnown ? new UUID(7, 7) : null,
        isKnown ? 4_000 : 0,
        isKnown ? List.of(state) : List.of(),
        knowsCluster ? Map.of(ID, address) : Map.of(),
        all,
        ID);
  }

  private static akka.actor.typed.Behavior<ReplicaMessage> list(ListOffsets ask) {
    long offset = ask.request().position() == ListOffsetsRequest.Position.EARLIEST ? 3 : 8;
    ask.replyTo()
        .tell(
            new ListOffsetsReply(
                ask.requestId(), ListOffsetsResponse.of(offset, new CurrentLeader(ID, 1))));
    return Behaviors.same();
  }
}
