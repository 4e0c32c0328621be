package io.tidemark.simulation;

/**
 * One planned misfortune.
 *
 * @param index its place in the seed's plan
 * @param step when it comes
 * @param salt decides the rest of it, so that it stays the same when others are left out
 */
record Fault(int index, long step, Kind kind, long salt) {

  enum Kind {
    CRASH,
    CRASH_LEADER,
    CRASH_AFTER_ACK,
    CRASH_AFTER_VOTE,
    CRASH_AFTER_COMMIT,
    LOSE_POWER,
    LOSE_POWER_EVERYWHERE,
    WIPE_DISK,
    FULL_DISK,
    SLOW_DISK,
    LEAVE,
    CUT_ONE_WAY,
    CUT_BOTH_WAYS,
    ISOLATE,
    ISOLATE_LEADER,
    ISOLATE_CONTROLLER,
    LAG_BEFORE_CRASH,
    OVERRULED_CONTROLLER,
    STORM,
    SLOW_NODE,
    PAUSE,
    FALSE_ALARM,
    CLOCK_JUMP,
    CLOCK_DRIFT,
    MISDIRECT,
    DAMAGE,
    CREATE_TOPIC,
    REASSIGN;

    String counter() {
      return "fault-" + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }

  @Override
  public String toString() {
    return "fault " + index + ": " + kind;
  }
}
