package io.tidemark.quorum;

import static io.tidemark.quorum.LoneMember.directory;
import static io.tidemark.quorum.LoneMember.fetch;
import static io.tidemark.quorum.LoneMember.knewLeader;
import static io.tidemark.quorum.LoneMember.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import io.tidemark.replica.ReplicaEffect.Persist;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LeadingTest {

  private static QuorumInput append(int epoch, int count) {
    BatchesAppended batches = (BatchesAppended) records(-1, 0, count, 0);
    return new QuorumInput.AppendRequested(epoch, batches.batches());
  }

  private static QuorumInput fetched(int id, UUID directory, long offset) {
    return new QuorumInput.FetchArrived(9, fetch(id, directory, 1, offset, offset == 0 ? -1 : 1));
  }

  @Test
  void leadershipIsUsableOnceTheFirstOwnRecordIsOnAMajority() {
    LoneMember leader = LoneMember.leading();
    assertEquals(1, leader.core.leaderId());
    assertFalse(leader.core.isLeader());
    leader.give(fetched(2, directory(2), 0));
    assertFalse(leader.core.isLeader());
    leader.give(fetched(2, directory(2), 1));
    assertEquals(new QuorumEffect.Led(1, 1), leader.only(QuorumEffect.Led.class));
    assertEquals(1, leader.only(QuorumEffect.HighWatermarkMoved.class).highWatermark());
    assertTrue(leader.core.isLeader());
  }

  @Test
  void theFirstRecordOfAnEpochIsAControlRecord() {
    LoneMember leader = LoneMember.leading();
    List<RecordBatch> batches = RecordBatches.list(leader.disk.read(0, 1, 1 << 20));
    assertTrue(batches.get(0).isControl());
    assertEquals(1, batches.get(0).leaderEpoch());
  }

  @Test
  void aMajorityOfAnOlderEpochsRecordsIsNotCommitted() {
    LoneMember leader = LoneMember.restartedWith(knewLeader(1, 3), records(1, 0, 5, 0));
    leader.pass(1_300);
    leader.give(new QuorumInput.VoteAnswered(LoneMember.answer(2, 1, true, true)));
    leader.give(new QuorumInput.VoteAnswered(LoneMember.answer(2, 2, true, false)));
    leader.give(new QuorumInput.FetchArrived(9, fetch(2, directory(2), 2, 5, 1)));
    assertEquals(0, leader.core.highWatermark());
    leader.give(new QuorumInput.FetchArrived(9, fetch(2, directory(2), 2, 6, 2)));
    assertEquals(6, leader.core.highWatermark());
  }

  @Test
  void aVotersIdWithAnotherDirectoryFollowsButDoesNotCount() {
    LoneMember leader = LoneMember.leading();
    leader.give(fetched(2, new UUID(8, 8), 1));
    assertEquals(0, leader.core.highWatermark());
    leader.give(fetched(7, new UUID(7, 7), 1));
    assertEquals(0, leader.core.highWatermark());
    leader.give(fetched(3, directory(3), 1));
    assertEquals(1, leader.core.highWatermark());
  }

  @Test
  void appendsThatMeetABusyDiskGoTogether() {
    LoneMember leader = LoneMember.leading();
    leader.flushesAtOnce = false;
    leader.give(append(1, 2));
    assertEquals(1, leader.replica(Persist.class).size());
    leader.give(append(1, 1)).give(append(1, 3));
    assertEquals(0, leader.replica(Persist.class).size());
    leader.flush();
    BatchesAppended event = (BatchesAppended) leader.replica(Persist.class).get(0).event();
    List<RecordBatch> batches = RecordBatches.list(event.batches());
    assertEquals(List.of(3L, 4L), batches.stream().map(RecordBatch::baseOffset).toList());
    assertEquals(3, leader.core.log().endOffset());
  }

  @Test
  void whatIsNotFlushedHereDoesNotCountEither() {
    LoneMember leader = LoneMember.leading();
    leader.give(fetched(2, directory(2), 1));
    leader.flushesAtOnce = false;
    leader.give(append(1, 1));
    assertEquals(1, leader.core.highWatermark());
    leader.flush();
    assertEquals(1, leader.core.highWatermark());
    leader.give(fetched(3, directory(3), 2));
    assertEquals(2, leader.core.highWatermark());
  }

  @Test
  void anAppendForAnotherEpochIsDropped() {
    LoneMember leader = LoneMember.leading();
    leader.give(append(0, 1));
    assertEquals(0, leader.replica(Persist.class).size());
    assertEquals(1, leader.core.log().endOffset());
  }

  @Test
  void silentVotersAreToldOfTheirLeaderAgain() {
    LoneMember leader = LoneMember.leading();
    assertEquals(2, leader.all(QuorumEffect.SendBegin.class).size());
    leader.give(fetched(2, directory(2), 0));
    leader.pass(250);
    assertEquals(3, leader.only(QuorumEffect.SendBegin.class).to());
  }

  @Test
  void aLeaderThatIsAboutToStopHandsOverToTheLongestLog() {
    LoneMember leader = LoneMember.leading();
    leader.give(fetched(3, directory(3), 1)).give(fetched(2, directory(2), 0));
    leader.give(new QuorumInput.ResignRequested());
    assertEquals(
        List.of(3, 2), leader.all(QuorumEffect.SendEnd.class).get(0).message().successors());
    assertEquals(1, leader.only(QuorumEffect.LostLeadership.class).epoch());
    leader.pass(1_000).pass(10_000);
    assertEquals(List.of(), leader.all(QuorumEffect.SendVote.class));
  }

  @Test
  void aLeaderWhoseDiskFailsLeadsNoMoreAndSaysNothing() {
    LoneMember leader = LoneMember.leading();
    leader.give(new QuorumInput.LogFailed());
    assertEquals(1, leader.only(QuorumEffect.LostLeadership.class).epoch());
    leader.give(fetched(2, directory(2), 1));
    assertEquals(0, leader.replica(AnswerFetch.class).size());
  }

  @Test
  void aCutBelowTheHighWatermarkIsFatal() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3), records(5, 0, 5, 4));
    FetchResponse diverging = FetchResponse.of(2, 0, 3, 5).divergingAt(4, 2);
    member.give(new QuorumInput.FetchAnswered(1, diverging));
    assertTrue(member.only(QuorumEffect.Fatal.class).message().contains("committed up to 4"));
    assertEquals(0, member.replica(Persist.class).size());
    assertEquals(0, member.pass(10_000).replica(Persist.class).size());
  }

  @Test
  void aCutAboveTheHighWatermarkIsMade() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3), records(4, 0, 5, 3));
    FetchResponse diverging = FetchResponse.of(3, 0, 3, 5).divergingAt(4, 4);
    member.give(new QuorumInput.FetchAnswered(1, diverging));
    assertEquals(new LogTruncated(4), member.replica(Persist.class).get(0).event());
    assertEquals(4, member.core.log().endOffset());
  }

  @Test
  void anotherPartitionsFetchIsRefused() {
    LoneMember leader = LoneMember.leading();
    PartitionId other = new PartitionId(new UUID(5, 5), 0);
    FetchRequest own = fetch(2, directory(2), 1, 0, -1);
    leader.give(
        new QuorumInput.FetchArrived(
            9, new FetchRequest(2, -1, own.directoryId(), 0, 1, other, 1, 0, 0, -1, 0, 1, 0, "")));
    assertEquals(
        ErrorCode.UNKNOWN_TOPIC_ID, leader.replica(AnswerFetch.class).get(0).response().error());
  }
}
