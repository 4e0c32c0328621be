package io.tidemark.groupkill;

import static io.tidemark.cli.local.Answers.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.groupkill.MemberEvent.Kind;
import io.tidemark.groupkill.SteadyWriter.Load;
import io.tidemark.protocol.CommittedOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three nodes, a producer, and a group of three members, all but the producer in JVMs of their own.
 * Leaders are killed one after the other while members leave, join, are killed, and are suspended
 * for longer than their sessions; then one member's stream stands still while the others go on. In
 * the end everything that the members have told is checked.
 */
class GroupKillTest {
  /** Without it, a short run. */
  private static final Integer KILLS = Integer.getInteger("tidemark.group-kill.kills");

  /**
   * @param steps from each to the next the group changes
   * @param stepsPerKill at the first of so many a node is killed
   * @param stepNanos from step to step
   * @param stillNanos for how long a member stands still, at least
   * @param stillBytes that are written to its partitions meanwhile, at least
   */
  private record Plan(
      int steps, int stepsPerKill, long stepNanos, long stillNanos, long stillBytes) {
    static Plan chosen() {
      return KILLS == null
          ? new Plan(2, 2, seconds(2), seconds(2), 8 << 20)
          : new Plan(KILLS, 1, seconds(5), seconds(30), 2 * MemberProcess.HEAP_BYTES);
    }

    private static long seconds(int seconds) {
      return TimeUnit.SECONDS.toNanos(seconds);
    }
  }

  private static final Load WHILE_KILLING = new Load(1_000, 1 << 10);
  private static final Load WHILE_ONE_STANDS_STILL = new Load(800, 16 << 10);

  /** How long a node that was killed stays away. */
  private static final long AWAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** A fetch that is full, those that wait, one under way, and the one that the stream is at. */
  private static final int FETCHES_HELD = MemberMain.PREFETCH + 3;

  private static final long NOISE_BYTES = 2 << 20;

  private final Plan plan = Plan.chosen();
  private final long began = System.nanoTime();
  private final GroupLedger ledger = new GroupLedger();
  private int kills;
  private KillCluster cluster;
  private Group group;

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void a_group_reads_all_while_leaders_and_members_are_killed_and_one_member_stands_still()
      throws Exception {
    try (KillCluster started = new KillCluster()) {
      cluster = started;
      group = new Group(cluster, ledger);
      try (Group closed = group) {
        cluster.awaitNodes();
        closed.join();
        cluster.createTopic();
        SteadyWriter writer = write(0, WHILE_KILLING);
        group.awaitShares();
        say("all have their shares");
        killLeadersAndMembers(writer);
        await(writer.end());
        awaitConsumed();
        say("nodes were killed %d times, and all is consumed", kills);
        standStill(writer.next());
        closed.leave();
        check();
      }
    }
  }

  private void say(String format, Object... arguments) {
    System.out.printf(
        "GroupKillTest: after %.1f s: %s%n",
        (System.nanoTime() - began) / 1e9, format.formatted(arguments));
  }

  private SteadyWriter write(int first, Load load) {
    return new SteadyWriter(cluster.system(), cluster.client(), first, load, ledger);
  }

  private void killLeadersAndMembers(SteadyWriter writer) throws Exception {
    long start = System.nanoTime();
    for (int step = 0; step < plan.steps(); step++) {
      long at = start + step * plan.stepNanos();
      pauseUntil(at, writer);
      boolean kills = step % plan.stepsPerKill() == 0;
      int victim = kills ? kill(step) : 0;
      group.change(step);
      if (kills) {
        pauseUntil(at + AWAY_NANOS, writer);
        cluster.restart(victim);
      }
    }
    pauseUntil(start + plan.steps() * plan.stepNanos(), writer);
    group.settle();
    group.awaitShares();
  }

  /** By turns the group's coordinator, which leads other partitions too, and who leads the most. */
  private int kill(int step) throws Exception {
    int victim = step % 2 == 0 ? cluster.coordinator(MemberMain.GROUP) : cluster.leader();
    cluster.kill(victim);
    kills++;
    return victim;
  }

  private void pauseUntil(long nanos, SteadyWriter writer) throws Exception {
    for (long left; (left = nanos - System.nanoTime()) > 0; ) {
      assertTrue(writer.isWriting(), "the writer has ended");
      group.checkAlive();
      group.proceedIfGivenUp();
      cluster.checkNodes();
      TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
    }
  }

  private void awaitConsumed() throws Exception {
    Map<Integer, Long> ends = ledger.ends();
    group.awaitTrue("all is consumed", () -> ledger.isConsumed(ends));
  }

  /** What it holds does not grow, whatever is written; the others do not wait for it. */
  private void standStill(int first) throws Exception {
    MemberProcess still = group.members().get(0);
    Set<Integer> its = ledger.held(still.session());
    SteadyWriter writer = write(first, WHILE_ONE_STANDS_STILL);
    Map<Integer, Long> before = ledger.ends();
    group.awaitTrue("the load has begun", () -> ledger.ends().get(0) > before.get(0) + 100);
    still.stop();
    long start = System.nanoTime();
    long bytes = WHILE_ONE_STANDS_STILL.bytes();
    long held = (long) its.size() * FETCHES_HELD * MemberMain.FETCH_BYTES;
    group.awaitTrue("it is behind", () -> ledger.missing(its) * bytes > 2 * held);
    long heapEarly = still.heapInUse();
    long consumed = ledger.consumed(still.session());
    pauseUntil(start + plan.stillNanos(), writer);
    group.awaitTrue(
        "it is far behind", () -> ledger.missing(its) * bytes > plan.stillBytes() + held);
    long heapLate = still.heapInUse();
    Map<Integer, Long> others = new TreeMap<>(ledger.ends());
    others.keySet().removeAll(its);
    group.awaitTrue("the others have gone on", () -> ledger.isConsumed(others));
    assertEquals(consumed, ledger.consumed(still.session()), "consumed while standing still");
    int behind = ledger.missing(its);

    still.resume();
    await(writer.end());
    awaitConsumed();
    long heapAfter = still.heapInUse();

    say(
        "a member that stood still was %,d records (%,d bytes) behind; heap in use %,d soon, %,d"
            + " late, %,d bytes afterwards",
        behind, behind * bytes, heapEarly, heapLate, heapAfter);
    assertTrue(heapLate - heapEarly < NOISE_BYTES, heapEarly + " grew to " + heapLate);
    assertTrue(heapLate - heapAfter < held + NOISE_BYTES, heapLate + " against " + heapAfter);
  }

  private void check() throws Exception {
    Map<Integer, Long> committed = new TreeMap<>();
    for (CommittedOffset offset : await(cluster.client().committedOffsets(MemberMain.GROUP))) {
      committed.put(offset.partition().partition(), offset.offset());
    }
    GroupCheck check = ledger.check();
    say(
        "%d acknowledged, %d consumed, %d of them again; partitions assigned %d times, revoked %d,"
            + " lost %d; %d commits",
        ledger.acknowledged(),
        check.consumed(),
        check.repeated(),
        ledger.count(Kind.ASSIGNED),
        ledger.count(Kind.REVOKED),
        ledger.count(Kind.LOST),
        ledger.count(Kind.COMMITTED));
    assertEquals(List.of(), ledger.faults());
    assertEquals(List.of(), check.violations());
    assertTrue(ledger.count(Kind.LOST) > 0, "no member was taken for dead");
    assertEquals(ledger.ends(), committed, "where the group is in the end");
  }
}
