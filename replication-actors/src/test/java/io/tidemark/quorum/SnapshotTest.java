package io.tidemark.quorum;

import static io.tidemark.quorum.LoneMember.directory;
import static io.tidemark.quorum.LoneMember.fetch;
import static io.tidemark.quorum.LoneMember.knewLeader;
import static io.tidemark.quorum.LoneMember.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogSnapshot;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.FetchSnapshotRequest;
import io.tidemark.protocol.FetchSnapshotResponse;
import io.tidemark.quorum.QuorumEffect.AnswerFetchSnapshot;
import io.tidemark.quorum.QuorumEffect.SendFetchSnapshot;
import io.tidemark.quorum.QuorumEffect.SnapshotLoaded;
import io.tidemark.quorum.QuorumSimulation.Node;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import io.tidemark.replica.ReplicaEffect.SendFetch;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Snapshots of the metadata log, and how members that are too far behind get them (KIP-630). */
class SnapshotTest {
  private static final byte[] CONTENT = {1, 2, 3, 4, 5};

  private static FetchSnapshotResponse piece(long end, int position, int length) {
    return new FetchSnapshotResponse(
        ErrorCode.NONE,
        new CurrentLeader(2, 4),
        end,
        3,
        LoneMember.VOTERS,
        CONTENT.length,
        position,
        ByteBuffer.wrap(CONTENT, position, length).slice());
  }

  private static LoneMember answered(LoneMember member, FetchSnapshotResponse response) {
    long id = member.only(SendFetchSnapshot.class).requestId();
    return member.give(new QuorumInput.FetchSnapshotAnswered(id, response));
  }

  /** Member 1 follows 2, which has just told it that its log starts behind member 1's end. */
  private static LoneMember sentToTheSnapshot() {
    LoneMember member = LoneMember.restartedWith(records(1, 0, 5, 2), knewLeader(4, 2));
    long id = member.replica(SendFetch.class).get(0).requestId();
    FetchResponse needed = FetchResponse.failed(ErrorCode.SNAPSHOT_NEEDED, 2, 4);
    return member.give(new QuorumInput.FetchAnswered(id, needed));
  }

  @Test
  void aSnapshotIsFetchedInPiecesEachAtTheSizeThatIsThereAndTheLogStartsAnewAtItsEnd() {
    LoneMember member = sentToTheSnapshot();
    FetchSnapshotRequest first = member.only(SendFetchSnapshot.class).request();
    assertEquals(FetchSnapshotRequest.LATEST, first.snapshotEnd());
    assertEquals(0, first.position());

    answered(member, piece(90, 0, 2));
    FetchSnapshotRequest second = member.only(SendFetchSnapshot.class).request();
    assertEquals(90, second.snapshotEnd());
    assertEquals(2, second.position());
    assertEquals(5, member.disk.state().endOffset(), "nothing is dropped before it is whole");

    answered(member, piece(90, 2, 3));
    assertEquals(90, member.disk.state().startOffset());
    assertEquals(90, member.disk.state().endOffset());
    assertEquals(ByteBuffer.wrap(CONTENT), member.disk.state().snapshot().content());
    assertEquals(90, member.only(SnapshotLoaded.class).snapshot().endOffset());
    assertEquals(90, member.core.highWatermark());
    SendFetch next = member.replica(SendFetch.class).get(0);
    assertEquals(90, next.request().fetchOffset());
    assertEquals(3, next.request().lastFetchedEpoch());
  }

  @Test
  void aPieceForAnotherPositionIsNotTaken() {
    LoneMember member = sentToTheSnapshot();
    answered(member, piece(90, 0, 2));

    answered(member, piece(90, 3, 2));
    assertEquals(List.of(), member.all(SendFetchSnapshot.class));

    member.pass(50);
    assertEquals(2, member.only(SendFetchSnapshot.class).request().position());
  }

  @Test
  void aPieceOfAnotherSnapshotIsNotTaken() {
    LoneMember member = sentToTheSnapshot();
    answered(member, piece(90, 0, 2));

    answered(member, piece(95, 2, 3));

    assertEquals(5, member.disk.state().endOffset());
  }

  @Test
  void fetchingBeginsAnewWhenTheLeaderHasAnotherSnapshotByNow() {
    LoneMember member = sentToTheSnapshot();
    answered(member, piece(90, 0, 2));
    answered(member, FetchSnapshotResponse.failed(ErrorCode.SNAPSHOT_NOT_FOUND, 2, 4));

    member.pass(50);

    FetchSnapshotRequest again = member.only(SendFetchSnapshot.class).request();
    assertEquals(FetchSnapshotRequest.LATEST, again.snapshotEnd());
    assertEquals(0, again.position());
  }

  @Test
  void anUnansweredPieceIsAskedForAgain() {
    LoneMember member = sentToTheSnapshot();
    answered(member, piece(90, 0, 2));

    member.pass(QuorumSettings.DEFAULT.requestTimeoutMs());

    assertEquals(2, member.only(SendFetchSnapshot.class).request().position());
  }

  @Test
  void aSnapshotBelowTheOwnHighWatermarkIsFatal() {
    LoneMember member = LoneMember.restartedWith(records(1, 0, 5, 5), knewLeader(4, 2));
    long id = member.replica(SendFetch.class).get(0).requestId();
    FetchResponse needed = FetchResponse.failed(ErrorCode.SNAPSHOT_NEEDED, 2, 4);
    member.give(new QuorumInput.FetchAnswered(id, needed));

    answered(member, piece(3, 0, 5));

    assertTrue(member.only(QuorumEffect.Fatal.class).message().contains("it is committed up to 5"));
  }

  @Test
  void aRestartedMemberBeginsWithItsOwnSnapshot() {
    LogSnapshot snapshot = new LogSnapshot(4, 1, LoneMember.VOTERS, ByteBuffer.wrap(CONTENT));

    LoneMember member =
        LoneMember.restartedWith(records(1, 0, 5, 4), new SnapshotTaken(snapshot, 0));

    assertEquals(snapshot, member.only(SnapshotLoaded.class).snapshot());
  }

  /** Leads epoch 1 with [2, 6) of epoch 0 and 1 in its log, and a snapshot up to 4. */
  private static LoneMember leadingWithSnapshot() {
    LogSnapshot older = new LogSnapshot(2, 0, LoneMember.VOTERS, ByteBuffer.wrap(CONTENT));
    LogSnapshot newer = new LogSnapshot(4, 0, LoneMember.VOTERS, ByteBuffer.wrap(CONTENT));
    LoneMember member =
        LoneMember.restartedWith(
            records(0, 0, 5, 5), new SnapshotTaken(older, 0), new SnapshotTaken(newer, 2));
    member.pass(1_000);
    member.give(new QuorumInput.VoteAnswered(LoneMember.answer(2, 0, true, true)));
    member.give(new QuorumInput.VoteAnswered(LoneMember.answer(2, 1, true, false)));
    return member;
  }

  private static ErrorCode errorOfFetch(LoneMember leader, long offset, int lastEpoch) {
    leader.give(new QuorumInput.FetchArrived(9, fetch(2, directory(2), 1, offset, lastEpoch)));
    return leader.replica(AnswerFetch.class).stream()
        .map(answer -> answer.response().error())
        .findFirst()
        .orElse(ErrorCode.NONE);
  }

  @Test
  void aLeaderSendsWhoIsBehindItsStartToTheSnapshot() {
    LoneMember leader = leadingWithSnapshot();

    assertEquals(ErrorCode.SNAPSHOT_NEEDED, errorOfFetch(leader, 1, 0));
    assertEquals(ErrorCode.SNAPSHOT_NEEDED, errorOfFetch(leader, 0, -1));
    assertEquals(ErrorCode.NONE, errorOfFetch(leader, 2, 0));
    assertEquals(ErrorCode.NONE, errorOfFetch(leader, 5, 0));
  }

  @Test
  void aLogOfEpochsThatTheLeaderHasGivenUpCannotBeComparedAndNeedsTheSnapshot() {
    LoneMember leader = leadingWithSnapshot();

    assertEquals(ErrorCode.SNAPSHOT_NEEDED, errorOfFetch(leader, 4, -1));
  }

  @Test
  void aLeaderAnswersWithThePieceThatWasAskedFor() {
    LoneMember leader = leadingWithSnapshot();

    leader.give(
        new QuorumInput.FetchSnapshotArrived(
            3, new FetchSnapshotRequest(2, directory(2), 1, 4, 0, 2, 2)));

    FetchSnapshotResponse response = leader.only(AnswerFetchSnapshot.class).response();
    assertEquals(ErrorCode.NONE, response.error());
    assertEquals(4, response.snapshotEnd());
    assertEquals(5, response.size());
    assertEquals(2, response.position());
    assertEquals(ByteBuffer.wrap(new byte[] {3, 4}), response.bytes());
  }

  private static ErrorCode errorOfPiece(int epoch, long end, long position) {
    LoneMember leader = leadingWithSnapshot();
    leader.give(
        new QuorumInput.FetchSnapshotArrived(
            3, new FetchSnapshotRequest(2, directory(2), epoch, end, 0, position, 2)));
    return leader.only(AnswerFetchSnapshot.class).response().error();
  }

  @Test
  void aLeaderRefusesOtherEpochsSnapshotsAndPositions() {
    assertEquals(ErrorCode.FENCED_LEADER_EPOCH, errorOfPiece(0, 4, 0));
    assertEquals(ErrorCode.UNKNOWN_LEADER_EPOCH, errorOfPiece(2, 4, 0));
    assertEquals(ErrorCode.SNAPSHOT_NOT_FOUND, errorOfPiece(1, 2, 0));
    assertEquals(ErrorCode.POSITION_OUT_OF_RANGE, errorOfPiece(1, 4, 5));
    assertEquals(ErrorCode.POSITION_OUT_OF_RANGE, errorOfPiece(1, 4, -1));
  }

  @Test
  void onlyWhatIsCommittedBecomesASnapshot() {
    LoneMember member = LoneMember.restartedWith(records(1, 0, 5, 3));

    member.give(new QuorumInput.SnapshotMade(4, ByteBuffer.wrap(CONTENT)));
    assertEquals(LogSnapshot.NONE, member.disk.state().snapshot());

    member.give(new QuorumInput.SnapshotMade(3, ByteBuffer.wrap(CONTENT)));
    assertEquals(3, member.disk.state().snapshot().endOffset());
    assertEquals(1, member.disk.state().snapshot().epoch());
    assertEquals(LoneMember.VOTERS, member.disk.state().snapshot().voters());
    assertEquals(0, member.disk.state().startOffset());
  }

  @Test
  void aFollowerGivesNothingUpBecauseItsLeaderHas() {
    LoneMember member = LoneMember.restartedWith(records(1, 0, 5, 5), knewLeader(4, 2));
    long id = member.replica(SendFetch.class).get(0).requestId();

    member.give(new QuorumInput.FetchAnswered(id, FetchResponse.of(5, 3, 2, 4)));

    assertEquals(0, member.disk.state().startOffset());
  }

  @Test
  void anEmptyMemberGetsTheStateThoughTheLogsBeginningIsGone() {
    QuorumSettings settings = new QuorumSettings(500, 1_000, 400, 250, 50, 200, 64, 500);
    QuorumSimulation simulation = new QuorumSimulation(630, 3, 1, settings);
    simulation.crash(4);
    assertTrue(simulation.runUntil(5_000, () -> simulation.leader() != null));
    for (int i = 0; i < 60; i++) {
      simulation.append(simulation.leader());
      simulation.run(20);
    }
    simulation.run(1_000);
    for (Node node : simulation.nodes()) {
      if (node.isUp()) {
        assertTrue(node.disk.state().startOffset() > 10, "member " + node.id + " gives space back");
      }
    }

    simulation.restart(4);
    simulation.run(5_000);

    Node late = simulation.node(4);
    assertEquals(1, late.effects(SnapshotLoaded.class).size());
    assertEquals(simulation.leader().applied, late.applied);
    assertFalse(late.applied.isEmpty());
  }
}
