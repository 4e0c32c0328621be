package io.tidemark.replica;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.channel.DataChannels;
import io.tidemark.log.PartitionLog;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;

/**
 * One replica of a partition as an actor: the shell of {@link ReplicaCore}. It turns messages into
 * inputs, and does what the effects say; the log is its child.
 *
 * <p>It stops when its log fails: whoever starts it again recovers what the disk really holds.
 */
public final class PartitionReplica extends AbstractBehavior<ReplicaMessage> {

  /** Newer metadata, from this node's broker. */
  public record TakeView(PartitionView view) implements ReplicaMessage.Local {}

  /** Ends the replica and deletes its data; {@link ReplicaErased} tells the broker when. */
  public record Remove() implements ReplicaMessage.Local {}

  /** Ends the replica in order. */
  public record Stop() implements ReplicaMessage.Local {}

  private record LogSaid(PartitionLog.Notice notice) implements ReplicaMessage.Local {}

  private record ControllerSaid(BrokerMessage.ControllerAnswered answer)
      implements ReplicaMessage.Local {}

  private record TimePassed() implements ReplicaMessage.Local {}

  private record LocatePeers() implements ReplicaMessage.Local {}

  private record CheckRetention() implements ReplicaMessage.Local {}

  /**
   * What a node gives to all of its replicas.
   *
   * @param self the broker's id
   * @param throttle for all replicas together
   * @param locator finds peers
   * @param broker this node's broker: the way to the controller
   */
  public record Node(
      int self,
      ReplicaSettings settings,
      Throttle throttle,
      LogAccess.Place place,
      PeerLocator locator,
      ActorRef<BrokerMessage> broker) {}

  private static final Duration LOCATE_AGAIN = Duration.ofMillis(200);

  private final Node node;
  private final PartitionId partition;
  private final TimerScheduler<ReplicaMessage> timers;
  private final ReplicaCore core;
  private final LogAccess log;
  private final Peers peers;
  private final DataChannels channels;
  private final Askers askers;
  private final ReadAnswers reads;
  private final DeadlineTimer deadline;
  private final ActorRef<BrokerMessage.ControllerAnswered> controllerAnswers;
  private long unansweredFetch = -1;
  private int unansweredLeader;
  private boolean removed;

  private PartitionReplica(
      ActorContext<ReplicaMessage> context,
      TimerScheduler<ReplicaMessage> timers,
      Node node,
      PartitionId partition) {
    super(context);
    context.setLoggerName(PartitionReplica.class);
    this.node = node;
    this.partition = partition;
    this.timers = timers;
    this.core = new ReplicaCore(node.self(), partition, node.settings(), node.throttle());
    this.channels = DataChannels.get(context.getSystem());
    this.askers = new Askers(channels);
    this.peers = new Peers(partition, node.locator(), context.getSelf(), channels);
    this.deadline = new DeadlineTimer(timers, new TimePassed());
    this.controllerAnswers =
        context.messageAdapter(BrokerMessage.ControllerAnswered.class, ControllerSaid::new);
    this.log =
        new LogAccess(
            context,
            node.place(),
            persistenceId(partition, node.self()),
            context.messageAdapter(PartitionLog.Notice.class, LogSaid::new));
    this.reads = new ReadAnswers(context, partition, node.self(), log, askers);
    timers.startTimerWithFixedDelay(
        new CheckRetention(), Duration.ofMillis(node.settings().retentionCheckMs()));
  }

  public static Behavior<ReplicaMessage> create(Node node, PartitionId partition) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(timers -> new PartitionReplica(context, timers, node, partition)));
  }

  /** The name of a replica's log: {@code <topic id>-<partition>@<broker>}. */
  public static String persistenceId(PartitionId partition, int broker) {
    return partition + "@" + broker;
  }

  @Override
  public Receive<ReplicaMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(ReplicaMessage.Fetch.class, this::onFetch)
        .onMessage(ReplicaMessage.FetchReply.class, this::onFetchReply)
        .onMessage(ReplicaMessage.Produce.class, this::onProduce)
        .onMessage(LogSaid.class, this::onLogSaid)
        .onMessage(ReadAnswers.WasRead.class, this::onWasRead)
        .onMessage(ReadAnswers.Sent.class, this::onSent)
        .onMessage(TimePassed.class, this::onTimePassed)
        .onMessage(ReplicaMessage.EpochEnd.class, this::onEpochEnd)
        .onMessage(ReplicaMessage.EpochEndReply.class, this::onEpochEndReply)
        .onMessage(ReplicaMessage.ListOffsets.class, this::onListOffsets)
        .onMessage(ReplicaMessage.DeleteRecords.class, this::onDeleteRecords)
        .onMessage(ReplicaMessage.Offline.class, this::onOffline)
        .onMessage(CheckRetention.class, this::onCheckRetention)
        .onMessage(ReplicaMessage.Locate.class, this::onLocate)
        .onMessage(ReplicaMessage.Describe.class, this::onDescribe)
        .onMessage(ReplicaMessage.Located.class, this::onLocated)
        .onMessage(LocatePeers.class, this::onLocatePeers)
        .onMessage(TakeView.class, this::onTakeView)
        .onMessage(ControllerSaid.class, this::onControllerSaid)
        .onMessage(Stop.class, this::onStop)
        .onMessage(Remove.class, this::onRemove)
        .onSignal(Terminated.class, this::onLogTerminated)
        .onSignal(PostStop.class, this::onPostStop)
        .build();
  }

  private Behavior<ReplicaMessage> onFetch(ReplicaMessage.Fetch fetch) {
    long token = askers.remember(fetch.requestId(), fetch.replyTo());
    return run(new ReplicaInput.FetchArrived(token, fetch.request()));
  }

  private Behavior<ReplicaMessage> onFetchReply(ReplicaMessage.FetchReply reply) {
    if (reply.requestId() == unansweredFetch) {
      unansweredFetch = -1;
    }
    return run(new ReplicaInput.FetchAnswered(reply.requestId(), reply.response()));
  }

  private Behavior<ReplicaMessage> onProduce(ReplicaMessage.Produce produce) {
    long token = askers.remember(produce.requestId(), produce.replyTo());
    return run(new ReplicaInput.ProduceArrived(token, produce.request()));
  }

  private Behavior<ReplicaMessage> onEpochEnd(ReplicaMessage.EpochEnd ask) {
    long token = askers.remember(ask.requestId(), ask.replyTo());
    return run(new ReplicaInput.EpochEndArrived(token, ask.request()));
  }

  private Behavior<ReplicaMessage> onEpochEndReply(ReplicaMessage.EpochEndReply reply) {
    return run(new ReplicaInput.EpochEndAnswered(reply.requestId(), reply.response()));
  }

  private Behavior<ReplicaMessage> onListOffsets(ReplicaMessage.ListOffsets ask) {
    long token = askers.remember(ask.requestId(), ask.replyTo());
    return run(new ReplicaInput.ListOffsetsArrived(token, ask.request()));
  }

  private Behavior<ReplicaMessage> onDeleteRecords(ReplicaMessage.DeleteRecords ask) {
    long token = askers.remember(ask.requestId(), ask.replyTo());
    return run(new ReplicaInput.DeleteRecordsArrived(token, ask.request()));
  }

  private Behavior<ReplicaMessage> onOffline(ReplicaMessage.Offline offline) {
    return run(new ReplicaInput.PeerOffline(offline.message()));
  }

  private Behavior<ReplicaMessage> onCheckRetention(CheckRetention tick) {
    return run(new ReplicaInput.CheckRetention(System.currentTimeMillis()));
  }

  private Behavior<ReplicaMessage> onLocate(ReplicaMessage.Locate locate) {
    locate
        .replyTo()
        .tell(
            new ReplicaMessage.Located(
                partition, node.self(), getContext().getSelf(), channels.port()));
    return this;
  }

  /** A replica that is still being recovered does not answer. */
  private Behavior<ReplicaMessage> onDescribe(ReplicaMessage.Describe describe) {
    if (core.log() != null) {
      describe
          .replyTo()
          .tell(
              new ReplicaMessage.Described(
                  partition,
                  node.self(),
                  core.isLeader(),
                  core.leaderEpoch(),
                  core.log().lastEpoch(),
                  core.log().startOffset(),
                  core.log().endOffset(),
                  core.highWatermark(),
                  core.truncatedRecords(),
                  core.refusedBatches()));
    }
    return this;
  }

  private Behavior<ReplicaMessage> onLocated(ReplicaMessage.Located located) {
    peers.located(located);
    return this;
  }

  private Behavior<ReplicaMessage> onLocatePeers(LocatePeers tick) {
    if (peers.locateWaiting()) {
      timers.startSingleTimer(tick, LOCATE_AGAIN);
    }
    return this;
  }

  /** One that comes back is told its view again, when it has started anew. */
  private Behavior<ReplicaMessage> onTakeView(TakeView take) {
    if (removed) {
      return this;
    }
    peers.viewChanged(take.view());
    node.broker().tell(new ViewTaken(partition, take.view()));
    return run(new ReplicaInput.ViewChanged(take.view()));
  }

  private Behavior<ReplicaMessage> onControllerSaid(ControllerSaid said) {
    ControllerResponse response = said.answer().response();
    PartitionState state =
        response instanceof ControllerResponse.PartitionAltered altered ? altered.state() : null;
    return run(new ReplicaInput.IsrAnswered(said.answer().requestId(), response.error(), state));
  }

  private Behavior<ReplicaMessage> onLogSaid(LogSaid said) {
    if (said.notice() instanceof PartitionLog.Persisted persisted) {
      log.persisted(persisted.state());
      return run(new ReplicaInput.LogPersisted(persisted.state()));
    }
    if (said.notice() instanceof PartitionLog.Erased) {
      getContext().getLog().info("{} on broker {} is deleted", partition, node.self());
      node.broker().tell(new ReplicaErased(partition));
      return Behaviors.stopped();
    }
    PartitionLog.Recovered recovered = (PartitionLog.Recovered) said.notice();
    return run(new ReplicaInput.LogRecovered(recovered.state()));
  }

  private Behavior<ReplicaMessage> onWasRead(ReadAnswers.WasRead read) {
    reads.wasRead(read);
    return this;
  }

  private Behavior<ReplicaMessage> onSent(ReadAnswers.Sent sent) {
    return run(new ReplicaInput.RecordsSent(sent.bytes()));
  }

  private Behavior<ReplicaMessage> onTimePassed(TimePassed tick) {
    deadline.fired();
    return run(new ReplicaInput.TimePassed());
  }

  private Behavior<ReplicaMessage> onRemove(Remove remove) {
    if (!removed) {
      removed = true;
      run(new ReplicaInput.Removed());
      log.erase();
    }
    return this;
  }

  private Behavior<ReplicaMessage> onLogTerminated(Terminated terminated) {
    if (removed) {
      getContext()
          .getLog()
          .warn("{} on broker {} was not deleted; it is tried again", partition, node.self());
      return Behaviors.stopped();
    }
    getContext()
        .getLog()
        .error(
            "the log of {} on broker {} failed in epoch {}; the replica restarts",
            partition,
            node.self(),
            core.leaderEpoch());
    run(new ReplicaInput.LogFailed());
    node.broker().tell(new ReplicaFailed(partition, core.leaderId() == node.self()));
    return Behaviors.stopped();
  }

  /**
   * Told to the broker: this replica has stopped.
   *
   * @param wasLeader whether it was to lead: it may not lead that epoch again
   */
  public record ReplicaFailed(PartitionId partition, boolean wasLeader)
      implements BrokerMessage.Local {}

  /** Told to the broker: this replica is gone, with its data. */
  public record ReplicaErased(PartitionId partition) implements BrokerMessage.Local {}

  /** Told to the broker: the view has arrived. */
  public record ViewTaken(PartitionId partition, PartitionView view)
      implements BrokerMessage.Local {}

  private Behavior<ReplicaMessage> onStop(Stop stop) {
    return Behaviors.stopped();
  }

  private Behavior<ReplicaMessage> onPostStop(PostStop signal) {
    core.close();
    log.close();
    return this;
  }

  private Behavior<ReplicaMessage> run(ReplicaInput input) {
    long now = deadline.now();
    for (ReplicaEffect effect : core.on(input, now)) {
      perform(effect);
    }
    deadline.schedule(core.nextDeadline(now), now);
    return this;
  }

  private void perform(ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.Persist persist) {
      log.persist(persist.event());
    } else if (effect instanceof ReplicaEffect.ReadAndAnswer read) {
      reads.answer(read);
    } else if (effect instanceof ReplicaEffect.FindAndAnswer find) {
      reads.answer(find);
    } else if (effect instanceof ReplicaEffect.SendFetch send) {
      if (unansweredFetch >= 0 && unansweredLeader == send.leaderId()) {
        peers.lost(send.leaderId());
      }
      unansweredFetch = send.requestId();
      unansweredLeader = send.leaderId();
      send(
          send.leaderId(),
          new ReplicaMessage.Fetch(
              send.requestId(), send.request(), getContext().getSelf().narrow()));
    } else if (effect instanceof ReplicaEffect.SendEpochEnd send) {
      send(
          send.leaderId(),
          new ReplicaMessage.EpochEnd(
              send.requestId(), send.request(), getContext().getSelf().narrow()));
    } else if (effect instanceof ReplicaEffect.TellOffline tell) {
      send(tell.leaderId(), new ReplicaMessage.Offline(tell.message()));
    } else if (effect instanceof ReplicaEffect.ProposeIsr propose) {
      node.broker()
          .tell(
              new BrokerMessage.AskController(
                  propose.requestId(), propose.request(), controllerAnswers));
    } else if (effect instanceof ReplicaEffect.Report report) {
      report(report);
    } else {
      askers.answer(effect);
    }
  }

  private void report(ReplicaEffect.Report report) {
    String message = "{} on broker {} in epoch {}: {}";
    Object[] arguments = {partition, node.self(), core.leaderEpoch(), report.message()};
    if (report.warning()) {
      getContext().getLog().warn(message, arguments);
    } else {
      getContext().getLog().info(message, arguments);
    }
  }

  private void send(int broker, ReplicaMessage message) {
    peers.send(broker, message);
    if (peers.isAnyoneWaiting()) {
      timers.startSingleTimer(new LocatePeers(), LOCATE_AGAIN);
    }
  }
}
