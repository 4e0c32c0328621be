package io.tidemark.quorum;

import static io.tidemark.quorum.LoneMember.directory;
import static io.tidemark.quorum.LoneMember.fetch;
import static io.tidemark.quorum.LoneMember.knewLeader;
import static io.tidemark.quorum.LoneMember.records;
import static io.tidemark.quorum.LoneMember.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.VotersRecord;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.quorum.QuorumEffect.AnswerVoterChange;
import io.tidemark.quorum.QuorumEffect.LostLeadership;
import io.tidemark.quorum.QuorumEffect.VotersAppended;
import io.tidemark.quorum.QuorumSimulation.Node;
import io.tidemark.record.RecordBatches;
import io.tidemark.replica.ReplicaEffect;
import io.tidemark.replica.ReplicaEffect.SendFetch;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Changes of the quorum's voters, one at a time (KIP-853). */
class VoterChangesTest {
  private static final Voter FOURTH = new Voter(4, directory(4), "host4:1");

  /** Member 1 leads 2 and 3 in epoch 1, and its first record is committed: the log ends at 1. */
  private static LoneMember leading() {
    LoneMember leader = LoneMember.leading();
    acknowledges(leader, 2, directory(2), 1);
    assertTrue(leader.core.isLeader());
    return leader;
  }

  private static void acknowledges(LoneMember leader, int id, UUID directory, long offset) {
    leader.give(
        new QuorumInput.FetchArrived(
            100 + id, fetch(id, directory, 1, offset, offset > 0 ? 1 : -1)));
  }

  private static LoneMember change(LoneMember leader, VoterChange change) {
    return leader.give(new QuorumInput.VoterChangeRequested(7, change));
  }

  private static LoneMember add(LoneMember leader, Voter voter) {
    return change(leader, new VoterChange.Add(voter));
  }

  private static LoneMember remove(LoneMember leader, int id) {
    return change(leader, new VoterChange.Remove(id));
  }

  private static ErrorCode answer(LoneMember leader) {
    return leader.only(AnswerVoterChange.class).error();
  }

  private static List<Integer> voters(LoneMember member) {
    return member.core.voters().stream().map(Voter::id).toList();
  }

  @Test
  void aNewVoterCountsFromTheAppendOnAndTheChangeIsAnsweredWhenItIsCommitted() {
    LoneMember leader = leading();
    acknowledges(leader, 4, directory(4), 1);

    add(leader, FOURTH);
    assertEquals(1, leader.only(VotersAppended.class).offset());
    assertEquals(List.of(), leader.all(AnswerVoterChange.class));
    assertEquals(List.of(1, 2, 3, 4), voters(leader));
    assertEquals(leader.core.voters(), leader.disk.state().voters());

    acknowledges(leader, 2, directory(2), 2);
    assertEquals(1, leader.core.highWatermark(), "two of four are no majority");
    acknowledges(leader, 4, directory(4), 2);
    assertEquals(2, leader.core.highWatermark());
    assertEquals(ErrorCode.NONE, answer(leader));
  }

  @Test
  void anAppendThatIsNotDurableYetCountsToo() {
    LoneMember leader = leading();
    acknowledges(leader, 4, directory(4), 1);
    leader.flushesAtOnce = false;

    add(leader, FOURTH);

    assertEquals(List.of(1, 2, 3, 4), voters(leader));
    assertEquals(3, leader.disk.state().voters().size());
  }

  @Test
  void aNewcomerThatHasNotCaughtUpIsRefusedForNow() {
    LoneMember leader = leading();
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, answer(add(leader, FOURTH)));

    acknowledges(leader, 4, directory(4), 0);
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, answer(add(leader, FOURTH)));

    acknowledges(leader, 4, directory(5), 1);
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, answer(add(leader, FOURTH)), "another disk has");

    acknowledges(leader, 4, directory(4), 1);
    assertEquals(List.of(), add(leader, FOURTH).all(AnswerVoterChange.class));
  }

  @Test
  void aNewcomerThatWentSilentIsRefusedForNow() {
    LoneMember leader = leading();
    acknowledges(leader, 4, directory(4), 1);
    leader.pass(QuorumSettings.DEFAULT.fetchTimeoutMs() + 1);

    assertEquals(ErrorCode.REQUEST_TIMED_OUT, answer(add(leader, FOURTH)));
  }

  @Test
  void aChangeWaitsUntilTheOneBeforeItIsCommitted() {
    LoneMember leader = leading();
    acknowledges(leader, 4, directory(4), 1);
    add(leader, FOURTH);

    assertEquals(ErrorCode.REQUEST_TIMED_OUT, answer(remove(leader, 3)));
    assertEquals(List.of(1, 2, 3, 4), voters(leader));
  }

  @Test
  void aChangeWaitsUntilTheLeadersOwnEpochIsCommitted() {
    LoneMember leader = LoneMember.leading();

    assertEquals(ErrorCode.REQUEST_TIMED_OUT, answer(remove(leader, 3)));
    assertEquals(List.of(1, 2, 3), voters(leader));
  }

  @Test
  void theSameIdWithANewDirectoryIsAnotherVoterThatTheOldOneHasToMakeRoomFor() {
    LoneMember leader = leading();
    Voter wiped = new Voter(3, new UUID(3, 3), "host3:1");
    acknowledges(leader, 3, wiped.directoryId(), 1);
    assertEquals(ErrorCode.DUPLICATE_VOTER, answer(add(leader, wiped)));

    remove(leader, 3);
    acknowledges(leader, 2, directory(2), 2);
    assertEquals(ErrorCode.NONE, answer(leader));
    acknowledges(leader, 3, wiped.directoryId(), 2);
    add(leader, wiped);

    assertEquals(wiped, leader.core.voters().get(2));
    acknowledges(leader, 3, wiped.directoryId(), 3);
    assertEquals(3, leader.core.highWatermark());
  }

  @Test
  void whatIsSoAlreadyIsAnsweredAtOnce() {
    LoneMember leader = leading();

    assertEquals(ErrorCode.NONE, answer(add(leader, LoneMember.VOTERS.get(1))));
    assertEquals(ErrorCode.VOTER_NOT_FOUND, answer(remove(leader, 9)));
    assertEquals(1, leader.disk.state().endOffset());
  }

  @Test
  void theLastVoterStays() {
    LoneMember leader = leading();
    remove(leader, 2);
    acknowledges(leader, 3, directory(3), 2);
    assertEquals(ErrorCode.NONE, answer(leader));
    remove(leader, 3);
    assertEquals(3, leader.core.highWatermark(), "it is a majority by itself");
    assertEquals(ErrorCode.NONE, answer(leader));

    assertEquals(ErrorCode.INVALID_REQUEST, answer(remove(leader, 1)));
    assertEquals(List.of(1), voters(leader));
  }

  @Test
  void aRemovedLeaderLeadsWithoutCountingItselfAndResignsAfterTheCommit() {
    LoneMember leader = leading();
    remove(leader, 1);
    assertTrue(leader.core.isLeader());

    acknowledges(leader, 2, directory(2), 2);
    assertEquals(1, leader.core.highWatermark(), "its own disk is no vote");
    acknowledges(leader, 3, directory(3), 2);

    assertEquals(ErrorCode.NONE, answer(leader));
    assertEquals(1, leader.only(LostLeadership.class).epoch());
    assertFalse(leader.core.isLeader());
    assertEquals(List.of(2, 3), voters(leader));
    leader.pass(10_000);
    assertEquals(List.of(), leader.all(QuorumEffect.SendVote.class), "it does not stand again");
  }

  @Test
  void aLeaderThatLosesItsMajorityDoesNotKnowWhatBecameOfTheChange() {
    LoneMember leader = leading();
    acknowledges(leader, 4, directory(4), 1);
    add(leader, FOURTH);

    leader.pass(10_000);

    assertEquals(ErrorCode.NOT_CONTROLLER, answer(leader));
  }

  @Test
  void onlyALeaderChangesVoters() {
    LoneMember member = LoneMember.restartedWith(knewLeader(4, 2));

    assertEquals(ErrorCode.NOT_CONTROLLER, answer(remove(member, 3)));
  }

  @Test
  void votersWhoseRecordIsCutCountNoMore() {
    List<Voter> more = new ArrayList<>(LoneMember.VOTERS);
    more.add(FOURTH);
    BatchesAppended record =
        new BatchesAppended(RecordBatches.stamp(VotersRecord.batch(more), 3, 2), 0);
    LoneMember member = LoneMember.restartedWith(records(1, 0, 3, 0), record, knewLeader(4, 2));
    assertEquals(List.of(1, 2, 3, 4), voters(member));
    long id = member.replica(SendFetch.class).get(0).requestId();

    FetchResponse diverging = FetchResponse.of(0, 0, 2, 4).divergingAt(1, 3);
    member.give(new QuorumInput.FetchAnswered(id, diverging));

    assertEquals(3, member.disk.state().endOffset());
    assertEquals(List.of(1, 2, 3), voters(member));
  }

  @Test
  void aVoteIsGrantedToAVoterThatIsNotKnownHereYet() {
    LoneMember member = LoneMember.restartedWith();

    assertTrue(member.vote(request(3, 4, 5, 9, false)).granted());
  }

  @Test
  void aMemberThatDoesNotKnowYetThatItVotesGrantsItsVote() {
    UUID own = new UUID(9, 9);
    LoneMember member = LoneMember.restarted(own);
    VoteRequest request = new VoteRequest(3, 2, directory(2), 1, own, 5, 9, false);

    assertTrue(member.vote(request).granted());
  }

  @Test
  void anEmptyDirectoryGrantsNoVote() {
    LoneMember member = LoneMember.withEmptyDisk();

    assertEquals(ErrorCode.INCONSISTENT_VOTER_SET, member.vote(request(3, 2, 5, 9, false)).error());
  }

  @Test
  void aWipedVoterIsReplacedByItsNewDirectoryAndCountsAgain() {
    QuorumSimulation simulation = new QuorumSimulation(853, 3, 0);
    assertTrue(simulation.runUntil(5_000, () -> simulation.leader() != null));
    simulation.run(500);
    Node leader = simulation.leader();
    Node wiped = simulation.node(leader.id % 3 + 1);
    simulation.crash(wiped.id);
    simulation.wipe(wiped.id);
    simulation.restart(wiped.id);
    simulation.run(1_000);

    simulation.change(leader, new VoterChange.Remove(wiped.id));
    simulation.run(500);
    simulation.change(leader, new VoterChange.Add(wiped.voter()));
    simulation.run(500);

    assertEquals(2, leader.effects(AnswerVoterChange.class).size());
    assertTrue(leader.core.voters().contains(wiped.voter()));
    simulation.crash(6 - leader.id - wiped.id);
    int committed = simulation.invariants().committedRecords();
    simulation.append(leader);
    simulation.run(500);
    assertEquals(committed + 1, simulation.invariants().committedRecords());
  }

  @Test
  void allVotersAreReplacedOneByOneAndTheNewOnesElectALeader() {
    QuorumSimulation simulation = new QuorumSimulation(854, 2, 2);
    assertTrue(simulation.runUntil(5_000, () -> simulation.leader() != null));
    simulation.run(1_000);
    for (int id : List.of(3, 4)) {
      simulation.change(simulation.leader(), new VoterChange.Add(simulation.node(id).voter()));
      simulation.run(1_000);
    }
    for (int id : List.of(1, 2)) {
      simulation.change(simulation.leader(), new VoterChange.Remove(id));
      simulation.run(1_000);
      assertTrue(simulation.runUntil(10_000, () -> simulation.leader() != null));
    }

    assertEquals(List.of(3, 4), simulation.leader().core.voters().stream().map(Voter::id).toList());
    simulation.crash(1);
    simulation.crash(2);
    int committed = simulation.invariants().committedRecords();
    simulation.append(simulation.leader());
    simulation.run(1_000);
    assertEquals(committed + 1, simulation.invariants().committedRecords());
  }

  @Test
  void a_voter_that_comes_back_with_another_directory_says_once_that_it_has_no_vote() {
    LoneMember member = LoneMember.restarted(new UUID(0, 99));
    List<ReplicaEffect.Report> reports = member.replica(ReplicaEffect.Report.class);

    assertEquals(1, reports.size());
    assertTrue(reports.get(0).warning());
    assertTrue(reports.get(0).message().contains("removeVoter(1)"), reports.get(0).message());
    member.pass(1_000);
    assertEquals(List.of(), member.replica(ReplicaEffect.Report.class));
    assertEquals(List.of(), LoneMember.restartedWith().replica(ReplicaEffect.Report.class));
  }
}
