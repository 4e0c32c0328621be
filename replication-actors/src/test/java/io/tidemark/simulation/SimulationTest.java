package io.tidemark.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.simulation.Options.Task;
import io.tidemark.simulation.Simulation.FaultFilter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class SimulationTest {
  private static final int HOSTILE_SEEDS = Integer.getInteger("simulation.seeds", 150);
  private static final int MUTANT_SEEDS = 500;

  @Test
  void hostile_seeds_violate_nothing_and_meet_every_fault() {
    Coverage coverage = new Coverage();
    coverage.expect(Expected.of(Profile.HOSTILE));
    for (long seed = 1; seed <= HOSTILE_SEEDS; seed++) {
      isWell(run(seed, Profile.HOSTILE, Mutant.NONE, coverage));
    }

    for (Fault.Kind fault : Fault.Kind.values()) {
      assertTrue(coverage.counts().get(fault.counter()) > 0, "never came: " + fault);
    }
  }

  @TestFactory
  Stream<DynamicTest> milder_worlds_violate_nothing() {
    return Stream.of(Profile.CALM, Profile.LOSSY, Profile.CRASHY)
        .map(
            profile ->
                DynamicTest.dynamicTest(
                    Options.title(profile),
                    () -> {
                      for (long seed = 1; seed <= 15; seed++) {
                        isWell(run(seed, profile, Mutant.NONE, new Coverage()));
                      }
                    }));
  }

  @TestFactory
  Stream<DynamicTest> each_mistake_is_found() {
    return Arrays.stream(Mutant.values())
        .filter(mutant -> mutant != Mutant.NONE)
        .map(
            mutant ->
                DynamicTest.dynamicTest(
                    Options.title(mutant),
                    () ->
                        assertNotNull(
                            firstViolation(mutant),
                            "not found in " + MUTANT_SEEDS + " seeds: " + mutant)));
  }

  @Test
  void a_violation_comes_again_with_its_seed() {
    Outcome found = firstViolation(Mutant.HW_TRUNCATION);

    Outcome again = run(found.seed(), Profile.HOSTILE, Mutant.HW_TRUNCATION, new Coverage());

    assertEquals(found.steps(), again.steps());
    assertEquals(found.hash(), again.hash());
    assertEquals(found.violation().getMessage(), again.violation().getMessage());
    assertEquals(found.last(), again.last());
  }

  @Test
  void a_violation_is_shrunk_to_the_faults_that_it_needs() {
    Outcome found = firstViolation(Mutant.HW_TRUNCATION);
    Options options = options(Profile.HOSTILE, Mutant.HW_TRUNCATION);

    Shrinker.Shrunk shrunk = new Shrinker(options, found.seed()).shrink();

    assertTrue(shrunk.faults().size() < found.plan().size(), shrunk.faults().toString());
    Outcome replayed =
        Outcome.of(found.seed(), options, new TreeSet<>(shrunk.faults())::contains, null);
    assertEquals(found.violation().invariant(), replayed.violation().invariant());
    assertEquals(shrunk.outcome().hash(), replayed.hash());
  }

  @Test
  void another_process_sees_the_same() throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--seeds",
                "1-12",
                "--json")
            .redirectErrorStream(true)
            .start();
    String theirs = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, other.waitFor(), theirs);

    String ours = output(0, "--seeds", "1-12", "--json");

    assertEquals(withoutTimes(ours), withoutTimes(theirs));
    assertTrue(ours.startsWith("{\"seeds\":12,\"steps\":"), ours);
    assertTrue(ours.contains("\"violations\":0"), ours);
  }

  private static String withoutTimes(String json) {
    return json.replaceAll("\"(seconds|seedsPerSecond)\":[0-9.]+", "");
  }

  @Test
  void the_last_seeds_are_seeds_too() {
    String json = output(0, "--seeds", "9223372036854775807-9223372036854775808", "--json");

    assertTrue(json.startsWith("{\"seeds\":2,"), json);
  }

  @Test
  void a_violation_ends_with_1_and_tells_how_to_see_it_again() {
    String seed = Long.toString(firstViolation(Mutant.DUPLICATE_ACKED_BEFORE_HW).seed());
    String range = seed + "-" + seed;

    String text = output(1, "--seeds", range, "--mutant", "duplicate-acked-before-hw");

    assertTrue(text.startsWith("VIOLATION of invariant 3 in seed " + seed), text);
    assertTrue(
        text.contains(
            "replay: bin/tidemark simulate --replay %s --profile hostile --mutant".formatted(seed)),
        text);
  }

  @TestFactory
  Stream<DynamicTest> wrong_arguments_end_with_2_and_one_line() {
    return Stream.of(
            "--seeds 5-1",
            "--seeds 1",
            "--seeds 1-9223372036854775809",
            "--seeds 1-2 --replay 3",
            "--seeds",
            "--profile mild",
            "--mutant none-such",
            "--faults 1",
            "--replay 1 --faults x",
            "--replay -1",
            "--shrink 1 --json",
            "seeds")
        .map(
            arguments ->
                DynamicTest.dynamicTest(
                    arguments,
                    () -> assertEquals(1, output(2, arguments.split(" ")).lines().count())));
  }

  /**
   * Seeds that found what takes long to find, to be tried first. After a change of the simulator
   * others do; it only takes longer then.
   */
  private static final Map<Mutant, Long> TRY_FIRST =
      Map.of(
          Mutant.NAIVE_EPOCH_LOOKUP, 15L,
          Mutant.LEO_BEFORE_PERSIST, 13L,
          Mutant.VOTE_NOT_PERSISTED, 24L,
          Mutant.COMMIT_PREVIOUS_EPOCH, 24L,
          Mutant.ISR_EXPAND_WITHOUT_EPOCH_START, 291L,
          Mutant.ACCEPT_LATE_FETCH_RESPONSE, 15L,
          Mutant.FOLLOWER_HW_FROM_DIVERGING_RESPONSE, 15L,
          Mutant.STALE_ALTER_PARTITION, 13L,
          Mutant.TOPIC_ID_IGNORED, 23L);

  /** Null when there is none. */
  private static Outcome firstViolation(Mutant mutant) {
    long known = TRY_FIRST.getOrDefault(mutant, 1L);
    Outcome hinted = run(known, Profile.HOSTILE, mutant, new Coverage());
    if (hinted.isViolation()) {
      return hinted;
    }
    for (long seed = 1; seed <= MUTANT_SEEDS; seed++) {
      Outcome outcome = run(seed, Profile.HOSTILE, mutant, new Coverage());
      if (outcome.isViolation()) {
        return outcome;
      }
    }
    return null;
  }

  private static Outcome run(long seed, Profile profile, Mutant mutant, Coverage coverage) {
    return Outcome.of(seed, options(profile, mutant), FaultFilter.ALL, null, coverage);
  }

  private static Options options(Profile profile, Mutant mutant) {
    return new Options(Task.RUN, 1, 1, profile, mutant, null, false);
  }

  private static void isWell(Outcome outcome) {
    if (outcome.isViolation()) {
      throw new AssertionError(
          "seed %d, step %d, invariant %s: %s%n%s"
              .formatted(
                  outcome.seed(),
                  outcome.steps(),
                  outcome.violation().invariant(),
                  outcome.violation().getMessage(),
                  String.join(System.lineSeparator(), outcome.last())),
          outcome.violation());
    }
  }

  @Test
  void groups_have_runs_of_their_own() {
    String well = output(0, "groups", "--seeds", "1-20", "--json");
    String found = output(1, "groups", "--seeds", "1-500", "--mutant", "stale-generation-commit");

    assertTrue(well.startsWith("{\"seeds\":20,\"violations\":0,"), well);
    assertTrue(found.contains("VIOLATION in seed"), found);
    assertTrue(output(2, "groups", "--mutant", "none-such").contains("assign-before-revoke"));
    assertTrue(output(2, "groups", "--replay", "1").contains("--replay"));
  }

  /** What the command prints, to either stream. */
  private static String output(int exitCode, String... arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    int ended = Main.run(List.of(arguments), stream, stream);
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(exitCode, ended, text);
    return text;
  }
}
