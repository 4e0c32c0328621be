package io.tidemark.benchmark.micro;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogState;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.record.RecordBatches;
import io.tidemark.replica.PartitionView;
import io.tidemark.replica.PartitionView.Peer;
import io.tidemark.replica.ReplicaCore;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaInput.FetchArrived;
import io.tidemark.replica.ReplicaInput.LogPersisted;
import io.tidemark.replica.ReplicaInput.LogRecovered;
import io.tidemark.replica.ReplicaInput.ProduceArrived;
import io.tidemark.replica.ReplicaInput.ViewChanged;
import io.tidemark.replica.ReplicaSettings;
import io.tidemark.replica.Throttle;
import io.tidemark.replica.TopicRules;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Steps of a leader's core. A core whose log, or whose batches, are used up is made anew: once in
 * many steps, and its memory stays bounded.
 */
public class LeaderCoreBenchmark extends Piece {
  private static final PartitionId PARTITION = new PartitionId(new UUID(1, 2), 0);
  private static final int LEADER = 1;
  private static final int FOLLOWER = 2;
  private static final int OTHER = 3;
  private static final int EPOCH = 1;
  private static final long BROKER_EPOCH = 7;
  private static final long NOW = 1;
  private static final int LONG_BATCH = 10_000;
  private static final int LONG_LOG = 1_000_000;
  private static final int BATCHES = 1_000;
  private static final int VALUE_BYTES = 100;
  private static final Map<Integer, Peer> FOLLOWERS =
      Map.of(FOLLOWER, new Peer(BROKER_EPOCH, true, ""), OTHER, new Peer(BROKER_EPOCH, true, ""));

  private LogState longLog = LogState.EMPTY;
  private ReplicaCore core;
  private long fetched;

  private final List<ByteBuffer> batches = new ArrayList<>();
  private ReplicaCore alone;
  private int produced;

  @Setup
  public void fill() {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 1_024);
    Batches.append(builder, LONG_BATCH, ByteBuffer.allocate(1));
    ByteBuffer batch = builder.build(0, -1);
    while (longLog.endOffset() < LONG_LOG) {
      ByteBuffer next = RecordBatches.stamp(batch, longLog.endOffset(), EPOCH);
      longLog = longLog.apply(new BatchesAppended(next, 0));
    }
    for (int i = 0; i < BATCHES; i++) {
      builder.producer(1, (short) 0, i * Batches.RECORDS);
      Batches.append(builder, Batches.RECORDS, ByteBuffer.allocate(VALUE_BYTES));
      batches.add(builder.build(0, -1));
    }
    lead();
    leadAlone();
  }

  private void lead() {
    core = leader(longLog, FOLLOWERS);
    // It waits for more, and has acknowledged everything: the other one decides.
    core.on(new FetchArrived(0, fetch(OTHER, LONG_LOG)), NOW);
    fetched = 0;
  }

  private void leadAlone() {
    alone = leader(LogState.EMPTY, Map.of());
    produced = 0;
  }

  private static ReplicaCore leader(LogState log, Map<Integer, Peer> followers) {
    List<Integer> replicas = new ArrayList<>(followers.keySet());
    replicas.add(0, LEADER);
    PartitionState state =
        new PartitionState(replicas, replicas, List.of(), LEADER, EPOCH, 0, false);
    TopicRules rules = TopicRules.keepingAll(replicas.size(), 1 << 20);
    ReplicaCore leader =
        new ReplicaCore(LEADER, PARTITION, ReplicaSettings.DEFAULT, Throttle.at(0));
    leader.on(
        new ViewChanged(new PartitionView(PARTITION, state, BROKER_EPOCH, "", rules, followers)),
        NOW);
    persist(leader, leader.on(new LogRecovered(log), NOW));
    return leader;
  }

  /** Applies what is to be written. Returns what the core says to that. */
  private static List<ReplicaEffect> persist(ReplicaCore leader, List<ReplicaEffect> effects) {
    for (ReplicaEffect effect : effects) {
      if (effect instanceof ReplicaEffect.Persist persist) {
        return leader.on(new LogPersisted(leader.log().apply(persist.event())), NOW);
      }
    }
    throw new IllegalStateException("nothing is to be written: " + effects);
  }

  private static FetchRequest fetch(int replica, long offset) {
    return new FetchRequest(
        replica,
        BROKER_EPOCH,
        null,
        500,
        1,
        PARTITION,
        EPOCH,
        offset,
        offset,
        EPOCH,
        0,
        1 << 20,
        offset,
        "");
  }

  /** It acknowledges one more record, which commits it, and asks for what follows. */
  @Benchmark
  public List<ReplicaEffect> fetchThatCommits() {
    if (fetched == LONG_LOG - 1) {
      lead();
    }
    fetched++;
    return core.on(new FetchArrived(fetched, fetch(FOLLOWER, fetched)), NOW);
  }

  /**
   * An idempotent producer's batch of 100 records of 100 B: checked, stamped, written (which takes
   * no time here), committed as there are no followers, and answered.
   */
  @Benchmark
  public List<ReplicaEffect> produce() {
    if (produced == BATCHES) {
      leadAlone();
    }
    ProduceRequest request = new ProduceRequest(PARTITION, Acks.ALL, batches.get(produced));
    produced++;
    return persist(alone, alone.on(new ProduceArrived(produced, request), NOW));
  }

  @TearDown(Level.Iteration)
  public void check() {
    if (core.highWatermark() != fetched
        || alone.highWatermark() != (long) produced * Batches.RECORDS) {
      throw new IllegalStateException("the steps did not commit what they should");
    }
  }
}
