package io.tidemark.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.channel.DataChannels;
import io.tidemark.client.ProducerEffect.Token;
import io.tidemark.protocol.ControllerRequest.InitProducerId;
import io.tidemark.protocol.ControllerResponse.ProducerIdGiven;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.BrokerMessage.AskController;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** The shell of {@link ProducerCore}. */
final class ProducerActor extends AbstractBehavior<ProducerActor.Command> {

  sealed interface Command {}

  /** There is something in the {@link SendQueue}. */
  record TakeSends() implements Command {}

  record Close() implements Command {}

  private record Described(TopicDescribed topic) implements Command {}

  private record IdAnswered(ControllerAnswered answer) implements Command {}

  private record Located(ReplicaMessage.Located located) implements Command {}

  private record Produced(ReplicaMessage.ProduceReply reply) implements Command {}

  private record Tick() implements Command {}

  /** While something is on its way; the core decides what is due. */
  private static final Duration TICK = Duration.ofMillis(2);

  private static final long FIND_AGAIN_NANOS = 200_000_000;
  private static final long ID_PATIENCE_NANOS = 1_000_000_000;

  private final String topic;
  private final ClusterNodes nodes;
  private final TimerScheduler<Command> timers;
  private final ProducerCore core;
  private final ReplicaRefs replicas;
  private final ActorRef<TopicDescribed> descriptions;
  private final ActorRef<ControllerAnswered> ids;
  private final ActorRef<ReplicaMessage.ProduceReply> answers;
  private final BufferMemory memory;
  private final SendQueue sends;
  private final Map<Long, CompletableFuture<Void>> flushes = new HashMap<>();
  private final long origin = System.nanoTime();

  /** When the sends that are being taken were: looking at the clock for each costs more. */
  private long takenAt;

  private UUID topicId;
  private long nextToken;
  private long idRequest;
  private long idAskedAt = -1;
  private long findAgainAt;
  private boolean ticking;

  private ProducerActor(
      ActorContext<Command> context,
      TimerScheduler<Command> timers,
      String topic,
      SendQueue sends,
      Setup setup) {
    super(context);
    ClusterNodes nodes = setup.nodes();
    this.topic = topic;
    this.nodes = nodes;
    this.timers = timers;
    this.memory = setup.memory();
    this.sends = sends;
    int firstPartition = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
    this.core = new ProducerCore(topic, setup.settings(), firstPartition);
    this.replicas =
        new ReplicaRefs(
            nodes,
            DataChannels.get(context.getSystem()),
            context.messageAdapter(ReplicaMessage.Located.class, Located::new));
    this.descriptions = context.messageAdapter(TopicDescribed.class, Described::new);
    this.ids = context.messageAdapter(ControllerAnswered.class, IdAnswered::new);
    this.answers = context.messageAdapter(ReplicaMessage.ProduceReply.class, Produced::new);
  }

  /**
   * What the topics of a producer share.
   *
   * @param memory gets back what each record took once its result is told
   */
  record Setup(ProducerCoreSettings settings, ClusterNodes nodes, BufferMemory memory) {}

  /**
   * @param sends what it is to send
   */
  static Behavior<Command> create(String topic, SendQueue sends, Setup setup) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> new ProducerActor(context, timers, topic, sends, setup)));
  }

  @Override
  public Receive<Command> createReceive() {
    return newReceiveBuilder()
        .onMessage(TakeSends.class, this::onTakeSends)
        .onMessage(Produced.class, this::onProduced)
        .onMessage(Tick.class, this::onTick)
        .onMessage(Described.class, this::onDescribed)
        .onMessage(IdAnswered.class, this::onIdAnswered)
        .onMessage(Located.class, this::onLocated)
        .onMessage(Close.class, close -> Behaviors.stopped())
        .onSignal(PostStop.class, this::onPostStop)
        .build();
  }

  private Behavior<Command> onTakeSends(TakeSends take) {
    takenAt = now();
    if (sends.take(this::take)) {
      getContext().getSelf().tell(take);
    }
    return goOn();
  }

  private void take(SendQueue.Item item) {
    if (item instanceof SendQueue.Send send) {
      send(send);
    } else {
      long token = nextToken++;
      flushes.put(token, ((SendQueue.Flush) item).done());
      performAll(core.flush(token, takenAt));
    }
  }

  private void send(SendQueue.Send send) {
    send.result().numbered(nextToken++);
    List<ProducerEffect> effects;
    try {
      effects = core.send(send.result(), send.record(), takenAt);
    } catch (RuntimeException e) {
      // The core may not know of it, and what becomes of the others is told when this actor stops.
      settle(
          send.result(),
          null,
          new ProducerFailure(
              ErrorCode.INVALID_REQUEST, topic, send.record().partition(), false, e.toString()));
      throw e;
    }
    performAll(effects);
  }

  private Behavior<Command> onProduced(Produced produced) {
    ReplicaMessage.ProduceReply reply = produced.reply();
    return perform(core.answered(reply.requestId(), reply.response(), now()));
  }

  private Behavior<Command> onDescribed(Described described) {
    TopicDescribed found = described.topic();
    replicas.described(found);
    topicId = found.topicId() == null ? topicId : found.topicId();
    return perform(
        core.topicDescribed(found.topicId(), found.maxBatchBytes(), found.partitions(), now()));
  }

  private Behavior<Command> onIdAnswered(IdAnswered answered) {
    if (answered.answer().requestId() != idRequest || idAskedAt < 0) {
      return this;
    }
    idAskedAt = -1;
    return answered.answer().response() instanceof ProducerIdGiven given
            && given.error() == ErrorCode.NONE
        ? perform(core.producerIdGiven(given.producerId(), now()))
        : perform(core.producerIdRefused());
  }

  private Behavior<Command> onLocated(Located located) {
    replicas.located(located.located());
    return this;
  }

  private Behavior<Command> onTick(Tick tick) {
    ticking = false;
    long now = now();
    if (now >= findAgainAt) {
      findAgainAt = now + FIND_AGAIN_NANOS;
      replicas.findWaiting();
    }
    if (idAskedAt >= 0 && now - idAskedAt >= ID_PATIENCE_NANOS) {
      askProducerId();
    }
    return perform(core.timePassed(now));
  }

  private Behavior<Command> perform(List<ProducerEffect> effects) {
    performAll(effects);
    return goOn();
  }

  private void performAll(List<ProducerEffect> effects) {
    for (ProducerEffect effect : effects) {
      perform(effect);
    }
  }

  private Behavior<Command> goOn() {
    if (!ticking && !core.isIdle()) {
      ticking = true;
      timers.startSingleTimer(new Tick(), TICK);
    }
    return this;
  }

  private void perform(ProducerEffect effect) {
    if (effect instanceof ProducerEffect.SendBatch send) {
      replicas.send(
          send.leaderId(),
          send.request().partition(),
          new ReplicaMessage.Produce(send.requestId(), send.request(), answers));
    } else if (effect instanceof ProducerEffect.Succeeded success) {
      settle(
          success.token(), new RecordMetadata(topic, success.partition(), success.offset()), null);
    } else if (effect instanceof ProducerEffect.Failed failure) {
      settle(
          failure.token(),
          null,
          new ProducerFailure(
              failure.error(),
              topic,
              failure.partition(),
              failure.mayBeWritten(),
              failure.reason()));
    } else if (effect instanceof ProducerEffect.AskTopic) {
      nodes.tellAny(new DescribeTopic(topic, descriptions));
    } else if (effect instanceof ProducerEffect.AskProducerId) {
      askProducerId();
    } else if (effect instanceof ProducerEffect.ForgetReplica forget) {
      replicas.forget(forget.brokerId(), new PartitionId(topicId, forget.partition()));
    } else if (effect instanceof ProducerEffect.Flushed flushed) {
      flushes.remove(flushed.token()).complete(null);
    }
  }

  private void askProducerId() {
    idAskedAt = now();
    nodes.tellAny(new AskController(++idRequest, new InitProducerId(), ids));
  }

  /** Told first: a producer whose memory is empty has told every result. */
  private void settle(Token token, RecordMetadata written, ProducerFailure failure) {
    PendingSend result = (PendingSend) token;
    if (!result.settle()) {
      return;
    }
    if (failure == null) {
      result.complete(written);
    } else {
      result.completeExceptionally(failure);
    }
    memory.release(result.bytes);
  }

  /** Nothing is left to be told, unless the actor system ends without its coordinated shutdown. */
  private Behavior<Command> onPostStop(PostStop signal) {
    memory.close();
    String reason = "the actor system ended";
    performAll(core.giveUp(reason));
    ProducerFailure failure =
        new ProducerFailure(ErrorCode.REQUEST_TIMED_OUT, topic, -1, false, reason);
    flushes.values().forEach(done -> done.complete(null));
    sends.end(
        item -> {
          if (item instanceof SendQueue.Send send) {
            settle(send.result(), null, failure);
          } else {
            ((SendQueue.Flush) item).done().complete(null);
          }
        });
    return this;
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
