package io.tidemark.cli.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** When the records of one writer are sent. */
interface Pace {

  /** Not to be sent: there is no room for it. */
  long SKIPPED = Long.MIN_VALUE;

  /**
   * Waits until a record may be sent, and takes room for it.
   *
   * @param number from 0, counted by the writer
   * @return the nano time from which its latency counts, or {@link #SKIPPED}
   */
  long await(long number) throws InterruptedException;

  /** As soon as there is room: a closed loop. */
  static Pace asRoomAllows(Room room) {
    return number -> {
      room.await();
      return System.nanoTime();
    };
  }

  /**
   * At its own time, whatever became of those before it: an open loop. What is sent late because
   * others were slow has waited since its own time.
   */
  static Pace atRate(Room room, double perSecond, long start) {
    return number -> {
      long intended = intendedAt(start, perSecond, number);
      for (long left; (left = intended - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(left);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      return room.take() ? intended : SKIPPED;
    };
  }

  static long intendedAt(long start, double perSecond, long number) {
    return start + (long) (number * (TimeUnit.SECONDS.toNanos(1) / perSecond));
  }
}
