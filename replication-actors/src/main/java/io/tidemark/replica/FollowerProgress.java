package io.tidemark.replica;

import java.util.UUID;

/**
 * What a leader knows of one follower in its own epoch.
 *
 * <p>Invariant: {@link #endOffset()} is an offset that the follower's disk had reached when it sent
 * its last valid fetch of this epoch, or {@link #UNKNOWN}.
 */
public final class FollowerProgress {
  public static final long UNKNOWN = -1;

  private long endOffset = UNKNOWN;
  private long brokerEpoch = -1;
  private UUID directoryId;
  private long startOffset;
  private long caughtUpNanos;
  private boolean everCaughtUp;
  private long lastFetchNanos;
  private long leaderEndAtLastFetch = Long.MAX_VALUE;
  private long lastToldNanos;
  private boolean told;

  /** A member of the ISR starts an epoch with the benefit of the doubt, another one without. */
  static FollowerProgress at(long nowNanos, boolean inSync) {
    FollowerProgress progress = new FollowerProgress();
    progress.everCaughtUp = inSync;
    progress.caughtUpNanos = nowNanos;
    return progress;
  }

  /**
   * A valid fetch. Caught up is: at the leader's end now, or at where it was at the fetch before
   * (KIP-16). Clocks may jump, so the time of it never goes back.
   */
  void fetched(long ackOffset, long epoch, long leaderEnd, long nowNanos) {
    if (epoch != brokerEpoch && brokerEpoch >= 0) {
      // What an earlier incarnation had may be gone: nobody waits for this one on its account.
      wentOffline();
    }
    if (ackOffset >= leaderEnd) {
      caughtUpAt(nowNanos);
    } else if (ackOffset >= leaderEndAtLastFetch) {
      caughtUpAt(lastFetchNanos);
    }
    endOffset = ackOffset;
    brokerEpoch = epoch;
    lastFetchNanos = nowNanos;
    leaderEndAtLastFetch = leaderEnd;
  }

  /** Its disk failed, or it starts anew: what it holds is not known until it fetches again. */
  void wentOffline() {
    endOffset = UNKNOWN;
    everCaughtUp = false;
    leaderEndAtLastFetch = Long.MAX_VALUE;
  }

  private void caughtUpAt(long nanos) {
    if (!everCaughtUp || nanos - caughtUpNanos > 0) {
      caughtUpNanos = nanos;
    }
    everCaughtUp = true;
  }

  public long endOffset() {
    return endOffset;
  }

  /** The incarnation in which it last fetched. */
  long brokerEpoch() {
    return brokerEpoch;
  }

  /** Whose disk {@link #endOffset()} speaks of, in a quorum; null elsewhere (KIP-853). */
  public UUID directoryId() {
    return directoryId;
  }

  void fetchedFrom(UUID directory) {
    directoryId = directory;
  }

  /** Where its log starts. */
  void startsAt(long offset) {
    startOffset = offset;
  }

  /** Whether its log can serve a reader at the offset, or make it wait there. */
  boolean holds(long offset) {
    return hasFetched() && startOffset <= offset && offset <= endOffset;
  }

  boolean hasFetched() {
    return endOffset != UNKNOWN;
  }

  boolean isCaughtUp(long leaderEnd, long nowNanos, long lagTimeNanos) {
    return endOffset == leaderEnd || (everCaughtUp && nowNanos - caughtUpNanos <= lagTimeNanos);
  }

  /** Whether it was in touch within the last {@code nanos}. */
  public boolean hasFetchedWithin(long nanos, long nowNanos) {
    return hasFetched() && nowNanos - lastFetchNanos <= nanos;
  }

  long lastFetchNanos() {
    return lastFetchNanos;
  }

  /** When an answer that only tells a newer high watermark may go out. */
  long mayTellAt(long intervalNanos, long nowNanos) {
    return told ? lastToldNanos + intervalNanos : nowNanos;
  }

  void told(long nowNanos) {
    told = true;
    lastToldNanos = nowNanos;
  }
}
