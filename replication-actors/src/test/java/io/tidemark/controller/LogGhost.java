package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.PartitionState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What one partition's replicas would hold, as numbers: who has all that was committed. */
final class LogGhost {
  private static final long LOST = -1;

  private final Map<Integer, Long> ends = new HashMap<>();
  private long trueHighWatermark;

  /** The leader commits a record, if its ISR is large enough; every member has it then. */
  void commit(PartitionState state, int minIsr) {
    if (state.leader() != PartitionState.NO_LEADER && state.isr().size() >= minIsr) {
      trueHighWatermark++;
      caughtUp(state.isr());
    }
  }

  void caughtUp(List<Integer> members) {
    members.forEach(id -> ends.put(id, trueHighWatermark));
  }

  void lostSome(int broker) {
    ends.put(broker, LOST);
  }

  /** Invariants 2, 3 and 11; an unclean election starts another history. */
  void check(PartitionState state) {
    boolean leads = state.leader() != PartitionState.NO_LEADER;
    if (leads && state.recovering() && end(state.leader()) < trueHighWatermark) {
      trueHighWatermark++;
      caughtUp(List.of(state.leader()));
    }
    Set<Integer> complete = new HashSet<>(state.isr());
    complete.addAll(state.elr());
    for (int member : complete) {
      assertTrue(end(member) >= trueHighWatermark, member + " lacks committed records: " + state);
    }
  }

  private long end(int broker) {
    return ends.getOrDefault(broker, 0L);
  }
}
