package io.tidemark.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.group.GroupSimulation.Mutant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Groups under hostile conditions. {@code -Dtidemark.group.seed} and {@code -Dtidemark.group.runs}
 * choose others.
 */
class GroupSimulationTest {
  private static final long FIRST_SEED = Long.getLong("tidemark.group.seed", 1);
  private static final int RUNS = Integer.getInteger("tidemark.group.runs", 150);
  private static final int STEPS = 2_000;
  private static final int RUNS_OF_MUTANTS = 500;

  private static void run(long seed, Mutant mutant, Map<String, Long> coverage) {
    try {
      new GroupSimulation(seed, mutant, coverage).run(STEPS);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("-Dtidemark.group.seed=" + seed + " with " + mutant + ": " + e, e);
    }
  }

  @Test
  void groups_keep_their_invariants_and_come_to_rest() {
    Map<String, Long> coverage = new TreeMap<>();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      run(seed, Mutant.NONE, coverage);
    }

    List<String> unseen =
        List.of(
                "started",
                "revoked",
                "lost",
                "generation",
                "records-cut",
                "append-refused",
                "append-of-older-epoch",
                "record-of-older-epoch",
                "coordinator-anew",
                "expired",
                "log-start-advanced",
                "Heartbeat-ILLEGAL_GENERATION",
                "Heartbeat-UNKNOWN_MEMBER_ID",
                "Heartbeat-COORDINATOR_LOADING",
                "Heartbeat-NOT_COORDINATOR",
                "CommitOffsets-NONE",
                "CommitOffsets-ILLEGAL_GENERATION",
                "CommitOffsets-UNKNOWN_MEMBER_ID",
                "Leave-NONE")
            .stream()
            .filter(name -> !coverage.containsKey(name))
            .toList();
    assertEquals(List.of(), RUNS < 150 ? List.of() : unseen, coverage::toString);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void a_mistake_is_found(Mutant mutant) {
    boolean found = false;
    for (long seed = 1; seed <= RUNS_OF_MUTANTS && !found; seed++) {
      try {
        new GroupSimulation(seed, mutant, new TreeMap<>()).run(STEPS);
      } catch (AssertionError e) {
        found = true;
      }
    }
    assertTrue(found, () -> mutant + " passes " + RUNS_OF_MUTANTS + " seeds");
  }
}
