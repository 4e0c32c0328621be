package io.tidemark.cluster;

import akka.Done;
import akka.actor.Address;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.AskPattern;
import akka.cluster.typed.Cluster;
import com.typesafe.config.Config;
import io.tidemark.broker.BrokerNode;
import io.tidemark.channel.DataChannels;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.TidemarkClient;
import io.tidemark.controller.Broker;
import io.tidemark.controller.ControllerReplica;
import io.tidemark.controller.MetadataImage;
import io.tidemark.journal.Storage;
import io.tidemark.journal.StorageException;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.PartitionId;
import io.tidemark.quorum.QuorumMember;
import io.tidemark.replica.LogAccess;
import io.tidemark.replica.PartitionReplica;
import io.tidemark.replica.TailCache;
import io.tidemark.replica.Throttle;
import io.tidemark.settings.SettingNames;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.ReplicaMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tidemark in an actor system: the first {@link #get} makes the system a node of the log, with a
 * broker and a member of the controller quorum. The system has to be a member of an Akka cluster,
 * or about to join one.
 *
 * <p>When the system ends in order, the node hands its leaderships over first.
 */
public final class Tidemark implements Extension {
  private static final Logger LOG = LoggerFactory.getLogger(Tidemark.class);
  private static final Duration LEAVE = Duration.ofSeconds(4);
  private static final String QUORUM_JOURNAL = "tidemark.journal.quorum";
  private static final String SNAPSHOTS = "tidemark.log-snapshot-store";

  private static final class Id extends ExtensionId<Tidemark> {
    private static final Id INSTANCE = new Id();

    @Override
    public Tidemark createExtension(ActorSystem<?> system) {
      return new Tidemark(system);
    }
  }

  private final ActorSystem<?> system;
  private final TidemarkSettings settings;
  private final Storage storage;
  private final TailCache.Budget cache;
  private final String address;
  private final Liveness liveness;
  private final ClusterNodes nodes;
  private final ActorRef<TidemarkNode.Command> node;
  private final TidemarkClient client;

  /** What this node's broker knew last: read by the shard coordinator, which may be here. */
  private volatile MetadataImage image = MetadataImage.EMPTY;

  private volatile ReplicaShards shards;

  /** Null while nobody is known to lead the quorum. */
  private volatile String controllerAddress;

  private final UUID incarnation = UUID.randomUUID();
  private final CompletableFuture<String> refusal = new CompletableFuture<>();
  private boolean startAccepted;

  /**
   * The system's node, started now if it was not.
   *
   * @throws IllegalArgumentException when a setting is wrong; names path, value and what is allowed
   */
  public static Tidemark get(ActorSystem<?> system) {
    return Id.INSTANCE.apply(system);
  }

  /**
   * Checks a node's settings, the storage's among them, before there is an actor system.
   *
   * @throws IllegalArgumentException when one is wrong; names path, value and what is allowed
   */
  public static TidemarkSettings checkSettings(Config config) {
    SettingNames.check(config);
    TidemarkSettings settings = TidemarkSettings.from(config);
    DataChannels.checkSettings(config);
    try {
      Storage.checkSettings(config);
    } catch (StorageException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    return settings;
  }

  private Tidemark(ActorSystem<?> system) {
    this.system = system;
    this.settings = checkSettings(system.settings().config());
    settings.warnings().forEach(LOG::warn);
    this.storage = Storage.get(system);
    this.cache = new TailCache.Budget(settings.tailCacheBytes());
    Address self = Cluster.get(system).selfMember().address();
    this.address = BrokerAllocation.hostPort(self);
    this.liveness = startLiveness(DataChannels.bindHost(system.settings().config(), self));
    DataChannels.get(system).listen();
    this.nodes = new ClusterNodes(system, List.of(address));
    this.node =
        system.systemActorOf(
            TidemarkNode.create(BrokerNode.create(brokerSetup()), this::controller),
            "tidemark",
            Props.empty());
    this.client = new TidemarkClient(system, nodes);
    CoordinatedShutdown.get(system)
        .addTask(CoordinatedShutdown.PhaseBeforeClusterShutdown(), "tidemark-leave", this::leave);
    system.classicSystem().registerOnTermination(liveness::close);
  }

  /** Producers, readers and topics. */
  public TidemarkClient client() {
    return client;
  }

  /** This node's broker id. */
  public int brokerId() {
    return settings.brokerId();
  }

  /**
   * Completes with the reason when this node's directory holds the data of another cluster. Such a
   * node takes no part in this one, ever: end it.
   */
  public CompletionStage<String> refused() {
    return refusal;
  }

  private Liveness startLiveness(String host) {
    try {
      return new Liveness(
          host, (broker, incarnation) -> tellNode(new TidemarkNode.PeerDied(broker, incarnation)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen for liveness connections on " + host, e);
    }
  }

  private void tellNode(TidemarkNode.Command command) {
    if (node != null) {
      node.tell(command);
    }
  }

  private BrokerNode.Setup brokerSetup() {
    RegisterBroker registration =
        new RegisterBroker(
            settings.brokerId(),
            incarnation,
            storage.directory().directoryId(),
            storage.directory().identity().clusterId().orElse(null),
            address,
            liveness.port(),
            settings.rack(),
            settings.maxMessageBytes(),
            isClean());
    return new BrokerNode.Setup(
        registration,
        (partition, message) -> tellReplica(partition, settings.brokerId(), message),
        (partition, broker, replyTo) ->
            tellReplica(partition, broker, new ReplicaMessage.Locate(replyTo)),
        ReplicaShards.storedOn(settings.brokerId(), persistenceIds()),
        this::imageChanged,
        this::controllerMoved,
        settings.voters().size(),
        settings.groups(),
        refusal::complete);
  }

  private List<String> persistenceIds() {
    try {
      return storage.persistenceIds();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + storage.directory().path(), e);
    }
  }

  /** What comes before sharding has started is lost, as on the way to a node that is not up. */
  private void tellReplica(PartitionId partition, int broker, ReplicaMessage message) {
    ReplicaShards started = shards;
    if (started != null) {
      started.tell(partition, broker, message);
    }
  }

  /**
   * With each-commit nothing that was acknowledged can be missing; damage is found when it is read.
   */
  private boolean isClean() {
    return settings.journal().endsWith("each-commit") || storage.directory().cleanStart();
  }

  private Behavior<ReplicaMessage> controller(ActorRef<BrokerMessage> broker) {
    PartitionReplica.Node replicas =
        new PartitionReplica.Node(
            settings.brokerId(),
            settings.replication(),
            Throttle.at(settings.throttledRate()),
            place(settings.journal()),
            new PeerLookup(nodes, () -> image),
            broker);
    shards =
        ReplicaShards.start(
            system, () -> image, partition -> PartitionReplica.create(replicas, partition));
    return ControllerReplica.create(
        new ControllerReplica.Setup(
            new QuorumMember(
                settings.brokerId(), storage.directory().directoryId(), address, settings.voters()),
            settings.quorum(),
            settings.controller(),
            place(QUORUM_JOURNAL),
            broker));
  }

  private LogAccess.Place place(String journal) {
    return new LogAccess.Place(
        journal,
        SNAPSHOTS,
        (persistenceId, from, visitor) ->
            storage.eventReader().read(persistenceId, from, visitor::entry),
        cache);
  }

  private void controllerMoved(ActorRef<ReplicaMessage> controller) {
    if (controller == null) {
      controllerAddress = null;
      return;
    }
    Address at = controller.path().address();
    controllerAddress = at.hasLocalScope() ? address : BrokerAllocation.hostPort(at);
  }

  /**
   * Has this node join the Akka cluster that the controller is in, or form it as the controller.
   * For systems without seed nodes or another way to join.
   *
   * @param startAnew is run when the node is found in another cluster than the controller, where it
   *     is of no use: end the actor system and start one anew
   */
  public void joinCluster(Runnable startAnew) {
    system.systemActorOf(
        ClusterJoin.create(
            new ClusterJoin.Node(
                settings.voters(), () -> controllerAddress, () -> isRegistered(image), startAnew)),
        ClusterJoin.NAME,
        Props.empty());
  }

  private void imageChanged(MetadataImage newer) {
    image = newer;
    if (!startAccepted && isRegistered(newer)) {
      acceptStart(newer.clusterId());
    }
    Map<Integer, Liveness.Peer> peers = new HashMap<>();
    for (Broker broker : newer.brokers().values()) {
      if (broker.id() != settings.brokerId() && broker.livenessPort() > 0) {
        String host = broker.address().substring(0, broker.address().lastIndexOf(':'));
        peers.put(
            broker.id(),
            new Liveness.Peer(
                broker.incarnation(), new InetSocketAddress(host, broker.livenessPort())));
      }
    }
    liveness.watch(peers);
  }

  /**
   * The controller knows how the last run ended; from here on this one may end cleanly, and the
   * directory is the cluster's.
   */
  private void acceptStart(UUID clusterId) {
    startAccepted = true;
    try {
      storage.directory().acceptStart();
      storage.directory().recordCluster(clusterId);
    } catch (IOException e) {
      LOG.warn("{} does not take note of a clean start", storage.directory().path(), e);
    }
  }

  private boolean isRegistered(MetadataImage newer) {
    Broker self = newer.brokers().get(settings.brokerId());
    return self != null && self.incarnation().equals(incarnation);
  }

  /** Ends well in time also when no controller answers. */
  private CompletionStage<Done> leave() {
    long since = System.nanoTime();
    return AskPattern.<TidemarkNode.Command, BrokerNode.Left>ask(
            node, TidemarkNode.Leave::new, LEAVE, system.scheduler())
        .handle(
            (left, failure) -> {
              boolean waited = System.nanoTime() - since >= LEAVE.toNanos();
              if (failure != null && waited) {
                LOG.warn(
                    "broker {} leaves without handing over: no controller answered within {}",
                    settings.brokerId(),
                    LEAVE);
              } else if (failure != null) {
                // As the actor system does that is terminated without order.
                LOG.info("broker {} has ended without handing over", settings.brokerId());
              }
              return Done.getInstance();
            });
  }
}
