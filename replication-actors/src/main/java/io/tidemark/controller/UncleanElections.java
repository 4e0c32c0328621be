package io.tidemark.controller;

import io.tidemark.controller.ControllerEffect.AskLogEnd;
import io.tidemark.controller.ControllerEffect.Warn;
import io.tidemark.controller.ControllerInput.LogEndReported;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds a leader for partitions that have none, where the topic prefers availability: the live
 * replica whose log reaches furthest, by last epoch and then by end offset (KIP-966).
 *
 * <p>It asks the live replicas and decides when all replicas have answered, or when time is up, by
 * those that have. Not in the log: another controller asks again.
 */
final class UncleanElections {
  static final long PATIENCE_NANOS = 2_000_000_000;
  static final long ASK_AGAIN_NANOS = 200_000_000;

  /** Others wait until these are decided. */
  static final int MAX_AT_ONCE = 500;

  private final Set<PartitionId> leaderless = new LinkedHashSet<>();
  private final Map<PartitionId, Poll> polls = new HashMap<>();

  private static final class Poll {
    private final long decideAt;
    private long askAt;
    private final Map<Integer, LogEnd> ends = new TreeMap<>();

    private Poll(long decideAt) {
      this.decideAt = decideAt;
    }
  }

  private record LogEnd(long brokerEpoch, int lastEpoch, long endOffset) {
    private static final Comparator<LogEnd> BY_REACH =
        Comparator.comparingInt(LogEnd::lastEpoch).thenComparingLong(LogEnd::endOffset);

    @Override
    public String toString() {
      return "epoch " + lastEpoch + " offset " + endOffset;
    }
  }

  UncleanElections(MetadataImage image) {
    image.partitions().forEach(this::noticed);
  }

  void noticed(MetadataRecord record) {
    if (record instanceof PartitionChanged changed) {
      noticed(changed.partition(), changed.state());
    }
  }

  private void noticed(PartitionId partition, PartitionState state) {
    if (state.leader() == PartitionState.NO_LEADER) {
      leaderless.add(partition);
    } else {
      leaderless.remove(partition);
      polls.remove(partition);
    }
  }

  void reported(LogEndReported report) {
    Poll poll = polls.get(report.partition());
    if (poll != null) {
      poll.ends.put(
          report.brokerId(),
          new LogEnd(report.brokerEpoch(), report.lastEpoch(), report.endOffset()));
    }
  }

  void decide(Changes changes, long now, List<ControllerEffect> effects) {
    Iterator<PartitionId> next = leaderless.iterator();
    for (int asked = 0; next.hasNext() && asked < MAX_AT_ONCE; ) {
      PartitionId partition = next.next();
      PartitionState state = changes.image().partition(partition);
      LeaderElection election = changes.electionOf(partition);
      List<Integer> candidates = election.uncleanCandidates(state);
      if (candidates.isEmpty()) {
        polls.remove(partition);
        continue;
      }
      asked++;
      Poll poll = polls.computeIfAbsent(partition, id -> new Poll(now + PATIENCE_NANOS));
      poll.ends
          .entrySet()
          .removeIf(
              end ->
                  !candidates.contains(end.getKey())
                      || epochOf(end.getKey(), changes) != end.getValue().brokerEpoch());
      boolean all = poll.ends.keySet().containsAll(state.replicas());
      if (all || (now >= poll.decideAt && !poll.ends.isEmpty())) {
        int leader = furthest(candidates, poll.ends);
        effects.add(new Warn(describe(partition, state, leader, poll.ends, changes)));
        changes.add(new PartitionChanged(partition, election.electUncleanly(state, leader)));
      } else if (now >= poll.askAt) {
        poll.askAt = now + ASK_AGAIN_NANOS;
        candidates.stream()
            .filter(id -> !poll.ends.containsKey(id))
            .map(id -> changes.image().brokers().get(id))
            .forEach(to -> effects.add(new AskLogEnd(partition, to)));
      }
    }
  }

  private static long epochOf(int broker, Changes changes) {
    return changes.image().brokers().get(broker).epoch();
  }

  /** The first in assignment order among equals. */
  private static int furthest(List<Integer> candidates, Map<Integer, LogEnd> ends) {
    int best = -1;
    for (int id : candidates) {
      LogEnd end = ends.get(id);
      if (end != null && (best < 0 || LogEnd.BY_REACH.compare(end, ends.get(best)) > 0)) {
        best = id;
      }
    }
    return best;
  }

  private static String describe(
      PartitionId partition,
      PartitionState state,
      int leader,
      Map<Integer, LogEnd> ends,
      Changes changes) {
    List<Integer> silent = new ArrayList<>(state.replicas());
    silent.removeAll(ends.keySet());
    return ("unclean election of partition %d of topic '%s': broker %d leads in epoch %d from %s; acknowledged"
            + " records may be lost. Logs by broker: %s; not heard from: %s; in sync or eligible before: %s")
        .formatted(
            partition.partition(),
            changes.image().topicsById().get(partition.topicId()).name(),
            leader,
            state.leaderEpoch() + 1,
            ends.get(leader),
            ends,
            silent,
            state.isr().isEmpty() ? state.elr() : state.isr());
  }
}
