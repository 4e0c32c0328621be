package io.tidemark.quorum;

import io.tidemark.log.LogSnapshot;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.replica.FollowerCore.Following;
import java.nio.ByteBuffer;

/**
 * Fetches the leader's snapshot piece by piece (KIP-630).
 *
 * <p>Invariant: all bytes are of one snapshot of one leader in one epoch, and each piece is taken
 * at exactly the size that is there already; so what is whole is what the leader has.
 */
final class SnapshotFetch {
  /** No metadata is as large as that: a size above it is a mistake, not a reason to allocate. */
  static final int MAX_BYTES = 256 << 20;

  private final Following who;
  private final QuorumSettings settings;
  private long requestId;
  private long deadline;

  /** The first piece's answer says what is being fetched; null before. */
  private FetchSnapshotResponse begun;

  private ByteBuffer received = ByteBuffer.allocate(0);

  SnapshotFetch(Following who, QuorumSettings settings, long firstRequestId) {
    this.who = who;
    this.settings = settings;
    this.requestId = firstRequestId;
  }

  void ask(Step step) {
    requestId++;
    deadline = step.now() + settings.requestTimeoutNanos();
    step.add(
        new QuorumEffect.SendFetchSnapshot(
            requestId,
            who.leader(),
            new FetchSnapshotRequest(
                who.self(),
                who.directoryId(),
                who.leaderEpoch(),
                begun == null ? FetchSnapshotRequest.LATEST : begun.snapshotEnd(),
                begun == null ? -1 : begun.snapshotEpoch(),
                received.position(),
                settings.fetchMaxBytes())));
  }

  boolean isAnswerTo(long answeredId) {
    return answeredId == requestId;
  }

  /** Returns the snapshot when it is whole, null before. */
  LogSnapshot answered(FetchSnapshotResponse response, Step step) {
    boolean isGone =
        response.error() == ErrorCode.SNAPSHOT_NOT_FOUND
            || response.error() == ErrorCode.POSITION_OUT_OF_RANGE;
    if (isGone) {
      begun = null;
      received = ByteBuffer.allocate(0);
    }
    if (response.error() != ErrorCode.NONE || !take(response)) {
      requestId++;
      deadline = step.now() + settings.retryBackoffNanos();
      return null;
    }
    if (received.hasRemaining()) {
      ask(step);
      return null;
    }
    return new LogSnapshot(
        begun.snapshotEnd(), begun.snapshotEpoch(), begun.voters(), received.flip());
  }

  private boolean take(FetchSnapshotResponse response) {
    if (begun == null && response.size() > 0 && response.size() <= MAX_BYTES) {
      begun = response;
      received = ByteBuffer.allocate((int) response.size());
    }
    boolean fits =
        begun != null
            && response.snapshotEnd() == begun.snapshotEnd()
            && response.snapshotEpoch() == begun.snapshotEpoch()
            && response.size() == begun.size()
            && response.position() == received.position()
            && response.bytes().hasRemaining()
            && response.bytes().remaining() <= received.remaining();
    if (fits) {
      received.put(response.bytes().duplicate());
    }
    return fits;
  }

  /** What is not answered in time is asked again, from where it is. */
  void timePassed(Step step) {
    if (step.now() >= deadline) {
      ask(step);
    }
  }

  long nextDeadline() {
    return deadline;
  }

  long nextRequestId() {
    return requestId + 1;
  }
}
