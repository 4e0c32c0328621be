package io.tidemark.replica;

import akka.actor.typed.javadsl.TimerScheduler;
import io.tidemark.wire.ReplicaMessage;
import java.time.Duration;

/** One timer for all that is due in a core. It may fire early, never late. */
public final class DeadlineTimer {
  private static final long NANOS_PER_MS = 1_000_000;

  /** One for all, so that what they share may compare their times. */
  private static final long ORIGIN = System.nanoTime();

  private final TimerScheduler<ReplicaMessage> timers;
  private final ReplicaMessage tick;
  private long firesAt = Long.MAX_VALUE;

  public DeadlineTimer(TimerScheduler<ReplicaMessage> timers, ReplicaMessage tick) {
    this.timers = timers;
    this.tick = tick;
  }

  /** A monotonic time that starts at zero. */
  public long now() {
    return System.nanoTime() - ORIGIN;
  }

  public void fired() {
    firesAt = Long.MAX_VALUE;
  }

  /** A timer that fires before the deadline is good enough: the core will tell what is due then. */
  public void schedule(long deadline, long now) {
    if (deadline < firesAt) {
      firesAt = deadline;
      timers.startSingleTimer(
          tick, Duration.ofMillis(Math.max(1, (deadline - now) / NANOS_PER_MS)));
    }
  }
}
