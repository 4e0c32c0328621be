package io.tidemark.controller;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogSnapshot;
import io.tidemark.log.PartitionLog;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionId;
import io.tidemark.quorum.QuorumCore;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.quorum.QuorumInput;
import io.tidemark.quorum.QuorumMember;
import io.tidemark.quorum.QuorumSettings;
import io.tidemark.quorum.VoterChange;
import io.tidemark.replica.Askers;
import io.tidemark.replica.DeadlineTimer;
import io.tidemark.replica.LogAccess;
import io.tidemark.replica.PartitionReplica;
import io.tidemark.replica.ReadAnswers;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.ControllerAnswered;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A node's member of the controller quorum, voter or observer: the shell of {@link QuorumCore}, and
 * of {@link ControllerCore} while it leads. What is committed goes to this node's broker.
 *
 * <p>It stops when its log fails; whoever starts it again recovers what the disk really holds.
 */
public final class ControllerReplica extends AbstractBehavior<ReplicaMessage> {
  /** Where a node's quorum member lives. */
  public static final String PATH = "/system/tidemark/controller";

  /** Told to the node's broker: the metadata that this node has applied. */
  public record ImageChanged(MetadataImage image) implements BrokerMessage.Local {}

  /**
   * Told to the node's broker: who leads the controller quorum.
   *
   * @param leader −1 for nobody
   * @param ref null for nobody
   */
  public record ControllerMoved(int leader, ActorRef<ReplicaMessage> ref)
      implements BrokerMessage.Local {}

  /** Someone saw that broker's process end. */
  public record Suspect(int voterId) implements ReplicaMessage.Local {}

  /** This node is about to stop: another one should lead. */
  public record Resign() implements ReplicaMessage.Local {}

  private record LogSaid(PartitionLog.Notice notice) implements ReplicaMessage.Local {}

  private record MetadataRead(ByteBuffer batches, Throwable failure)
      implements ReplicaMessage.Local {}

  /**
   * @param end null when nobody answered in time
   */
  private record LogEndSaid(ControllerEffect.AskLogEnd ask, ReplicaMessage.Described end)
      implements ReplicaMessage.Local {}

  private record TimePassed() implements ReplicaMessage.Local {}

  private record ControllerTick() implements ReplicaMessage.Local {}

  /**
   * @param broker gets the image whenever it changes, and who the controller is
   */
  public record Setup(
      QuorumMember member,
      QuorumSettings quorum,
      ControllerSettings controller,
      LogAccess.Place place,
      ActorRef<BrokerMessage> broker) {}

  private static final Duration CONTROLLER_TICK = Duration.ofMillis(50);
  private static final Duration LOG_END_ANSWER = Duration.ofSeconds(1);
  private static final int READ_BYTES = 1 << 20;

  private final Setup setup;
  private final TimerScheduler<ReplicaMessage> timers;
  private final QuorumCore quorum;
  private final ControllerCore controller;
  private final LogAccess log;
  private final Askers askers = new Askers(ActorRef::tell);
  private final ReadAnswers reads;
  private final DeadlineTimer deadline;
  private final QuorumMail mail;
  private MetadataImage image = MetadataImage.EMPTY;
  private boolean reading;
  private QuorumEffect.Led led;
  private boolean active;

  private ControllerReplica(
      ActorContext<ReplicaMessage> context, TimerScheduler<ReplicaMessage> timers, Setup setup) {
    super(context);
    context.setLoggerName(ControllerReplica.class);
    this.setup = setup;
    this.timers = timers;
    this.quorum = new QuorumCore(setup.member(), setup.quorum());
    this.controller = new ControllerCore(setup.controller());
    this.deadline = new DeadlineTimer(timers, new TimePassed());
    this.mail = new QuorumMail(context, askers, quorum::addressOf);
    this.log =
        new LogAccess(
            context,
            setup.place(),
            PartitionReplica.persistenceId(PartitionId.METADATA, setup.member().self()),
            context.messageAdapter(PartitionLog.Notice.class, LogSaid::new));
    this.reads = new ReadAnswers(context, PartitionId.METADATA, setup.member().self(), log, askers);
  }

  public static Behavior<ReplicaMessage> create(Setup setup) {
    return Behaviors.setup(
        context -> Behaviors.withTimers(timers -> new ControllerReplica(context, timers, setup)));
  }

  @Override
  public Receive<ReplicaMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(ReplicaMessage.Fetch.class, this::onFetch)
        .onMessage(
            ReplicaMessage.FetchReply.class,
            m -> run(new QuorumInput.FetchAnswered(m.requestId(), m.response())))
        .onMessage(ReplicaMessage.FetchSnapshot.class, this::onFetchSnapshot)
        .onMessage(
            ReplicaMessage.FetchSnapshotReply.class,
            m -> run(new QuorumInput.FetchSnapshotAnswered(m.requestId(), m.response())))
        .onMessage(LogSaid.class, this::onLogSaid)
        .onMessage(ReplicaMessage.ControllerAsk.class, this::onControllerAsk)
        .onMessage(TimePassed.class, this::onTimePassed)
        .onMessage(ControllerTick.class, this::onControllerTick)
        .onMessage(MetadataRead.class, this::onMetadataRead)
        .onMessage(LogEndSaid.class, this::onLogEndSaid)
        .onMessage(ReadAnswers.WasRead.class, this::onWasRead)
        .onMessage(ReplicaMessage.EpochEnd.class, this::onEpochEnd)
        .onMessage(
            ReplicaMessage.EpochEndReply.class,
            m -> run(new QuorumInput.EpochEndAnswered(m.requestId(), m.response())))
        .onMessage(ReplicaMessage.Vote.class, this::onVote)
        .onMessage(
            ReplicaMessage.VoteReply.class, m -> run(new QuorumInput.VoteAnswered(m.response())))
        .onMessage(ReplicaMessage.Begin.class, m -> run(new QuorumInput.BeginArrived(m.message())))
        .onMessage(ReplicaMessage.End.class, m -> run(new QuorumInput.EndArrived(m.message())))
        .onMessage(ReplicaMessage.Hello.class, this::onHello)
        .onMessage(
            ReplicaMessage.HelloReply.class, m -> run(new QuorumInput.HelloAnswered(m.response())))
        .onMessage(Suspect.class, m -> run(new QuorumInput.Suspected(m.voterId())))
        .onMessage(Resign.class, m -> run(new QuorumInput.ResignRequested()))
        .onSignal(Terminated.class, this::onLogTerminated)
        .onSignal(PostStop.class, this::onPostStop)
        .build();
  }

  private Behavior<ReplicaMessage> onFetch(ReplicaMessage.Fetch fetch) {
    long token = askers.remember(fetch.requestId(), fetch.replyTo());
    return run(new QuorumInput.FetchArrived(token, fetch.request()));
  }

  private Behavior<ReplicaMessage> onFetchSnapshot(ReplicaMessage.FetchSnapshot fetch) {
    long token = askers.remember(fetch.requestId(), fetch.replyTo());
    return run(new QuorumInput.FetchSnapshotArrived(token, fetch.request()));
  }

  private Behavior<ReplicaMessage> onEpochEnd(ReplicaMessage.EpochEnd ask) {
    long token = askers.remember(ask.requestId(), ask.replyTo());
    return run(new QuorumInput.EpochEndArrived(token, ask.request()));
  }

  private Behavior<ReplicaMessage> onVote(ReplicaMessage.Vote vote) {
    long token = askers.remember(0, vote.replyTo());
    return run(new QuorumInput.VoteArrived(token, vote.request()));
  }

  private Behavior<ReplicaMessage> onHello(ReplicaMessage.Hello hello) {
    long token = askers.remember(0, hello.replyTo());
    return run(new QuorumInput.HelloArrived(token, hello.request()));
  }

  private Behavior<ReplicaMessage> onControllerAsk(ReplicaMessage.ControllerAsk ask) {
    long token = askers.remember(ask.requestId(), ask.replyTo());
    if (active && ask.request() instanceof ControllerRequest.AddVoter add) {
      addVoter(token, add.brokerId());
    } else if (active && ask.request() instanceof ControllerRequest.RemoveVoter remove) {
      VoterChange change = new VoterChange.Remove(remove.brokerId());
      run(new QuorumInput.VoterChangeRequested(token, change));
    } else {
      control(new ControllerInput.Requested(token, ask.request()));
    }
    return this;
  }

  private void addVoter(long token, int id) {
    Broker broker = image.brokers().get(id);
    if (broker == null) {
      answer(
          token,
          Refusal.refuse(ErrorCode.BROKER_ID_NOT_REGISTERED, "broker %d is not registered", id));
      return;
    }
    Voter voter = new Voter(id, broker.directoryId(), broker.address());
    run(new QuorumInput.VoterChangeRequested(token, new VoterChange.Add(voter)));
  }

  private Behavior<ReplicaMessage> onControllerTick(ControllerTick tick) {
    control(new ControllerInput.Tick());
    return this;
  }

  private Behavior<ReplicaMessage> onTimePassed(TimePassed tick) {
    deadline.fired();
    return run(new QuorumInput.TimePassed());
  }

  private Behavior<ReplicaMessage> onLogSaid(LogSaid said) {
    if (said.notice() instanceof PartitionLog.Persisted persisted) {
      log.persisted(persisted.state());
      return run(new QuorumInput.LogPersisted(persisted.state()));
    }
    PartitionLog.Recovered recovered = (PartitionLog.Recovered) said.notice();
    return run(new QuorumInput.LogRecovered(recovered.state()));
  }

  private Behavior<ReplicaMessage> onWasRead(ReadAnswers.WasRead read) {
    reads.wasRead(read);
    return this;
  }

  private Behavior<ReplicaMessage> onLogTerminated(Terminated terminated) {
    getContext()
        .getLog()
        .error(
            "the metadata log of broker {} failed in epoch {}; its member restarts",
            setup.member().self(),
            quorum.epoch());
    run(new QuorumInput.LogFailed());
    return Behaviors.stopped();
  }

  private Behavior<ReplicaMessage> onPostStop(PostStop signal) {
    log.close();
    setup.broker().tell(new ControllerMoved(-1, null));
    return this;
  }

  private Behavior<ReplicaMessage> run(QuorumInput input) {
    long now = deadline.now();
    Behavior<ReplicaMessage> next = this;
    for (QuorumEffect effect : quorum.on(input, now, ThreadLocalRandom.current().nextLong())) {
      if (effect instanceof QuorumEffect.Fatal fatal) {
        getContext()
            .getLog()
            .error(
                "broker {} leaves the controller quorum in epoch {}: {}",
                setup.member().self(),
                quorum.epoch(),
                fatal.message());
        next = Behaviors.stopped();
      } else {
        perform(effect);
      }
    }
    deadline.schedule(quorum.nextDeadline(now), now);
    return next;
  }

  private void perform(QuorumEffect effect) {
    if (effect instanceof QuorumEffect.Replicate replicate) {
      replicate(replicate.effect());
    } else if (effect instanceof QuorumEffect.HighWatermarkMoved) {
      readMetadata();
    } else if (effect instanceof QuorumEffect.SnapshotLoaded loaded) {
      LogSnapshot snapshot = loaded.snapshot();
      getContext()
          .getLog()
          .info("metadata of broker {} begins with a {}", setup.member().self(), snapshot);
      becomes(MetadataSnapshot.load(snapshot.content(), snapshot.endOffset()));
      readMetadata();
    } else if (effect instanceof QuorumEffect.TakeSnapshot) {
      run(new QuorumInput.SnapshotMade(image.nextOffset(), MetadataSnapshot.of(image)));
    } else if (effect instanceof QuorumEffect.Led now) {
      led = now;
      activate();
    } else if (effect instanceof QuorumEffect.LostLeadership) {
      deactivate();
    } else if (effect instanceof QuorumEffect.LeaderKnown known) {
      leaderKnown(known);
    } else if (effect instanceof QuorumEffect.VotersAppended appended) {
      control(new ControllerInput.ControlRecordAppended(appended.offset()));
    } else if (effect instanceof QuorumEffect.AnswerVoterChange answer) {
      answer(
          answer.token(),
          answer.error() == ErrorCode.NONE
              ? new ControllerResponse.Done(ErrorCode.NONE)
              : new ControllerResponse.Failed(answer.error(), answer.message()));
    } else {
      mail.deliver(effect);
    }
  }

  private void replicate(ReplicaEffect effect) {
    if (effect instanceof ReplicaEffect.Persist persist) {
      log.persist(persist.event());
    } else if (effect instanceof ReplicaEffect.ReadAndAnswer read) {
      reads.answer(read);
    } else if (effect instanceof ReplicaEffect.SendFetch fetch) {
      mail.send(
          fetch.leaderId(),
          new ReplicaMessage.Fetch(
              fetch.requestId(), fetch.request(), getContext().getSelf().narrow()));
    } else if (effect instanceof ReplicaEffect.SendEpochEnd ask) {
      mail.send(
          ask.leaderId(),
          new ReplicaMessage.EpochEnd(
              ask.requestId(), ask.request(), getContext().getSelf().narrow()));
    } else if (effect instanceof ReplicaEffect.Report report) {
      report(report);
    } else {
      askers.answer(effect);
    }
  }

  private void report(ReplicaEffect.Report report) {
    String line = "metadata log of broker {} in epoch {}: {}";
    if (report.warning()) {
      getContext().getLog().warn(line, setup.member().self(), quorum.epoch(), report.message());
    } else {
      getContext().getLog().info(line, setup.member().self(), quorum.epoch(), report.message());
    }
  }

  /** Committed records become the image, one read at a time. */
  private void readMetadata() {
    while (!reading && image.nextOffset() < quorum.highWatermark()) {
      long from = image.nextOffset();
      long limit = quorum.highWatermark();
      ByteBuffer cached = log.cached(from, limit, READ_BYTES);
      if (cached != null) {
        applyMetadata(cached, limit);
      } else {
        reading = true;
        getContext().pipeToSelf(log.read(quorum.log(), from, limit, READ_BYTES), MetadataRead::new);
      }
    }
    if (!reading) {
      activate();
      control(new ControllerInput.Committed(quorum.highWatermark()));
    }
  }

  private Behavior<ReplicaMessage> onMetadataRead(MetadataRead read) {
    reading = false;
    if (read.failure() != null) {
      getContext()
          .getLog()
          .error(
              "the metadata log of broker {} cannot be read at offset {}; its member restarts",
              setup.member().self(),
              image.nextOffset(),
              read.failure());
      return Behaviors.stopped();
    }
    applyMetadata(read.batches(), quorum.highWatermark());
    readMetadata();
    return this;
  }

  private void applyMetadata(ByteBuffer batches, long limit) {
    becomes(MetadataFeed.apply(image, batches, limit));
  }

  private void becomes(MetadataImage newer) {
    image = newer;
    setup.broker().tell(new ImageChanged(image));
  }

  /** The controller begins when all that was committed before it is known. */
  private void activate() {
    if (led != null && !active && image.nextOffset() == led.firstOffset()) {
      active = true;
      timers.startTimerWithFixedDelay(new ControllerTick(), CONTROLLER_TICK);
      getContext()
          .getLog()
          .info("broker {} is the controller in epoch {}", setup.member().self(), led.epoch());
      control(new ControllerInput.Activated(led.epoch(), image, led.firstOffset()));
    }
  }

  private void deactivate() {
    led = null;
    if (active) {
      active = false;
      timers.cancel(new ControllerTick());
      control(new ControllerInput.Deactivated());
    }
  }

  private void leaderKnown(QuorumEffect.LeaderKnown known) {
    String address = known.leaderId() < 0 ? null : quorum.addressOf(known.leaderId());
    ActorRef<ReplicaMessage> leader = null;
    if (known.leaderId() == setup.member().self()) {
      leader = getContext().getSelf();
    } else if (address != null) {
      leader = mail.member(address);
    }
    setup.broker().tell(new ControllerMoved(known.leaderId(), leader));
  }

  private void control(ControllerInput input) {
    for (ControllerEffect effect : controller.on(input, deadline.now())) {
      if (effect instanceof ControllerEffect.Reply reply) {
        answer(reply.token(), reply.response());
      } else if (effect instanceof ControllerEffect.Append append && led != null) {
        ByteBuffer batch = MetadataFeed.batchOf(append.records(), System.currentTimeMillis());
        run(new QuorumInput.AppendRequested(led.epoch(), batch));
      } else if (effect instanceof ControllerEffect.AskLogEnd ask) {
        askLogEnd(ask);
      } else if (effect instanceof ControllerEffect.Warn warning) {
        getContext().getLog().warn(warning.message());
      }
    }
  }

  private void askLogEnd(ControllerEffect.AskLogEnd ask) {
    ActorRef<BrokerMessage> broker =
        mail.at(ask.broker().address(), setup.broker().path().toStringWithoutAddress());
    getContext()
        .ask(
            ReplicaMessage.Described.class,
            broker,
            LOG_END_ANSWER,
            replyTo -> new BrokerMessage.DescribeReplica(ask.partition(), replyTo),
            (end, failure) -> new LogEndSaid(ask, end));
  }

  private Behavior<ReplicaMessage> onLogEndSaid(LogEndSaid said) {
    if (said.end() != null) {
      control(
          new ControllerInput.LogEndReported(
              said.ask().partition(),
              said.ask().broker().id(),
              said.ask().broker().epoch(),
              said.end().lastEpoch(),
              said.end().endOffset()));
    }
    return this;
  }

  private void answer(long token, ControllerResponse response) {
    long requestId = askers.requestId(token);
    askers.<ControllerAnswered>takeRef(token).tell(new ControllerAnswered(requestId, response));
  }
}
