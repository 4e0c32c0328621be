package io.tidemark.simulation;

import io.tidemark.simulation.Fault.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Which faults a seed brings, and when. */
final class FaultPlan {
  private static final List<Kind> PROCESS =
      List.of(
          Kind.CRASH,
          Kind.CRASH_LEADER,
          Kind.CRASH_LEADER,
          Kind.CRASH_AFTER_ACK,
          Kind.CRASH_AFTER_ACK,
          Kind.CRASH_AFTER_VOTE,
          Kind.CRASH_AFTER_VOTE,
          Kind.CRASH_AFTER_COMMIT,
          Kind.LOSE_POWER,
          Kind.LOSE_POWER,
          Kind.LOSE_POWER_EVERYWHERE,
          Kind.SLOW_DISK,
          Kind.LEAVE);

  private static final List<Kind> NETWORK =
      List.of(
          Kind.CUT_ONE_WAY,
          Kind.CUT_BOTH_WAYS,
          Kind.ISOLATE,
          Kind.ISOLATE_LEADER,
          Kind.ISOLATE_LEADER,
          Kind.ISOLATE_CONTROLLER,
          Kind.STORM,
          Kind.STORM,
          Kind.SLOW_NODE,
          Kind.PAUSE,
          Kind.FALSE_ALARM,
          Kind.LAG_BEFORE_CRASH,
          Kind.LAG_BEFORE_CRASH,
          Kind.LAG_BEFORE_CRASH,
          Kind.LAG_BEFORE_CRASH,
          Kind.OVERRULED_CONTROLLER,
          Kind.CREATE_TOPIC,
          Kind.REASSIGN,
          Kind.REASSIGN);

  private static final List<Kind> ODD =
      List.of(
          Kind.WIPE_DISK,
          Kind.FULL_DISK,
          Kind.CLOCK_JUMP,
          Kind.CLOCK_DRIFT,
          Kind.MISDIRECT,
          Kind.DAMAGE);

  private FaultPlan() {}

  /** In the order in which they come. */
  static List<Fault> of(Profile profile, Chance chance) {
    List<Fault> plan = new ArrayList<>();
    int faults = profile.faults == 0 ? 0 : 3 + chance.below(profile.faults - 2);
    for (int i = 0; i < faults; i++) {
      long step = 250 + chance.below(profile.steps - 300);
      plan.add(new Fault(i, step, kind(profile, chance), chance.next()));
    }
    plan.sort(Comparator.comparingLong(Fault::step));
    List<Fault> numbered = new ArrayList<>();
    for (Fault fault : plan) {
      numbered.add(new Fault(numbered.size(), fault.step(), fault.kind(), fault.salt()));
    }
    return numbered;
  }

  private static Kind kind(Profile profile, Chance chance) {
    if (profile.odd && chance.happens(0.2)) {
      return chance.oneOf(ODD);
    }
    return chance.oneOf(chance.below(10) < profile.disks ? PROCESS : NETWORK);
  }
}
