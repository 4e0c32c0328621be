package io.tidemark.quorum;

import static io.tidemark.quorum.LoneMember.answer;
import static io.tidemark.quorum.LoneMember.directory;
import static io.tidemark.quorum.LoneMember.fetch;
import static io.tidemark.quorum.LoneMember.knewLeader;
import static io.tidemark.quorum.LoneMember.records;
import static io.tidemark.quorum.LoneMember.request;
import static io.tidemark.quorum.LoneMember.votedFor;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.QuorumMessage.BeginQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.EndQuorumEpoch;
import io.tidemark.protocol.QuorumMessage.HelloRequest;
import io.tidemark.protocol.QuorumMessage.HelloResponse;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import io.tidemark.replica.ReplicaEffect.SendFetch;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class VotingTest {

  @Test
  void aVoteIsAnsweredOnlyWhenItIsDurable() {
    LoneMember member = LoneMember.restartedWith();
    member.flushesAtOnce = false;
    member.give(new QuorumInput.VoteArrived(1, request(3, 2, -1, 0, false)));
    assertEquals(List.of(), member.all(QuorumEffect.AnswerVote.class));
    member.give(new QuorumInput.VoteArrived(2, request(3, 3, -1, 0, false)));
    assertEquals(List.of(), member.all(QuorumEffect.AnswerVote.class));
    member.flush();
    List<QuorumEffect.AnswerVote> answers = member.all(QuorumEffect.AnswerVote.class);
    assertEquals(2, answers.size());
    assertTrue(answers.get(0).response().granted());
    assertFalse(answers.get(1).response().granted());
    assertEquals(2, member.disk.state().vote().votedFor());
    assertEquals(directory(2), member.disk.state().vote().votedDirectory());
  }

  @Test
  void theSameCandidateIsGrantedAgainAfterARestart() {
    LoneMember member = LoneMember.restartedWith(votedFor(3, 2));
    assertTrue(member.vote(request(3, 2, -1, 0, false)).granted());
    assertFalse(member.vote(request(3, 3, -1, 0, false)).granted());
  }

  @Test
  void anOlderEpochIsFencedWithTheOwnEpochAndLeader() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    VoteResponse response = member.vote(request(4, 2, -1, 0, false));
    assertEquals(new VoteResponse(ErrorCode.FENCED_LEADER_EPOCH, 1, 5, 3, false, false), response);
  }

  @Test
  void aCandidateWithAShorterLogIsRefusedButItsEpochIsTaken() {
    LoneMember member = LoneMember.restartedWith(votedFor(2, 2), records(2, 0, 5, 0));
    assertFalse(member.vote(request(3, 3, 2, 4, false)).granted());
    assertEquals(3, member.core.epoch());
    assertFalse(member.vote(request(4, 3, 1, 9, false)).granted());
    assertTrue(member.vote(request(5, 3, 2, 5, false)).granted());
  }

  @Test
  void aRequestToAnotherDirectoryIsRefused() {
    LoneMember member = LoneMember.restartedWith();
    VoteRequest request = new VoteRequest(3, 2, directory(2), 1, new UUID(9, 9), -1, 0, false);
    assertEquals(ErrorCode.INCONSISTENT_VOTER_SET, member.vote(request).error());
    assertEquals(0, member.core.epoch());
  }

  @Test
  void noVoteIsGrantedInAnEpochWithAKnownLeader() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    assertFalse(member.vote(request(5, 2, 9, 9, false)).granted());
    assertEquals(3, member.core.leaderId());
  }

  @Test
  void aPreVoteChangesNothing() {
    LoneMember member = LoneMember.restartedWith(votedFor(2, 2));
    long before = member.disk.state().sequenceNr();
    assertTrue(member.vote(request(2, 3, -1, 0, true)).granted());
    assertTrue(member.vote(request(9, 3, -1, 0, true)).granted());
    assertEquals(2, member.core.epoch());
    assertEquals(before, member.disk.state().sequenceNr());
  }

  @Test
  void aFollowerRefusesPreVotesOnceItsLeaderAnsweredAndUntilItIsSuspected() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    assertTrue(member.vote(request(5, 2, -1, 0, true)).granted());
    member.give(new QuorumInput.FetchAnswered(1, FetchResponse.of(0, 0, 3, 5)));
    assertFalse(member.vote(request(5, 2, -1, 0, true)).granted());
    member.give(new QuorumInput.Suspected(3));
    assertTrue(member.vote(request(5, 2, -1, 0, true)).granted());
  }

  @Test
  void aSuspectedLeaderMakesAFollowerAskForPreVotesSoon() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    member.give(new QuorumInput.Suspected(2)).pass(100);
    assertEquals(List.of(), member.all(QuorumEffect.SendVote.class));
    member.give(new QuorumInput.Suspected(3)).pass(100);
    assertEquals(2, member.all(QuorumEffect.SendVote.class).size());
    assertEquals(5, member.core.epoch());
  }

  @Test
  void aCandidacyGoesOnWhateverLeaderAMemberThatDoesNotVoteBelievesIn() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    member.give(new QuorumInput.Suspected(3)).pass(100);

    member.give(
        new QuorumInput.VoteAnswered(
            new VoteResponse(ErrorCode.INCONSISTENT_VOTER_SET, 2, 5, 3, false, true)));
    assertEquals(-1, member.core.leaderId());

    member.give(new QuorumInput.VoteAnswered(answer(2, 5, true, true)));
    assertEquals(6, member.core.epoch());
  }

  @Test
  void theFirstSuccessorStandsAtOnceWhenItsLeaderResigns() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    member.give(new QuorumInput.EndArrived(new EndQuorumEpoch(5, 3, List.of(1, 2)))).pass(0);
    assertEquals(2, member.all(QuorumEffect.SendVote.class).size());
  }

  @Test
  void beginDoesNotCountAsASignOfLifeForAFollower() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    member.pass(990).give(new QuorumInput.BeginArrived(new BeginQuorumEpoch(5, 3))).pass(260);
    assertEquals(2, member.all(QuorumEffect.SendVote.class).size());
  }

  @Test
  void aCandidateThatLosesWaitsItsTimeOutOut() {
    LoneMember member = LoneMember.restartedWith();
    member.pass(1_000).give(new QuorumInput.VoteAnswered(answer(2, 0, true, true)));
    assertEquals(1, member.core.epoch());
    member.give(new QuorumInput.VoteAnswered(answer(2, 1, false, false)));
    member.give(new QuorumInput.VoteAnswered(answer(3, 1, false, false)));
    member.pass(499);
    assertEquals(List.of(), member.all(QuorumEffect.SendVote.class));
    member.pass(501);
    assertTrue(member.all(QuorumEffect.SendVote.class).get(0).request().preVote());
    assertEquals(1, member.core.epoch());
  }

  @Test
  void aMemberStrandedAboveALivingLeaderStandsForARealElection() {
    LoneMember member = LoneMember.restartedWith(votedFor(6, 1));
    member.pass(1_000);
    VoteResponse refusal = new VoteResponse(ErrorCode.NONE, 2, 5, 3, false, true);
    member.give(new QuorumInput.VoteAnswered(refusal));
    assertEquals(7, member.core.epoch());
    assertFalse(member.all(QuorumEffect.SendVote.class).get(0).request().preVote());
  }

  @Test
  void aStoredEpochBelowTheLogsIsRaisedToIt() {
    LoneMember member = LoneMember.restartedWith(knewLeader(2, 3), records(4, 0, 1, 0));
    assertEquals(4, member.core.epoch());
    assertEquals(-1, member.core.leaderId());
    assertEquals(4, member.disk.state().vote().epoch());
  }

  @Test
  void anAnswerOfANewerEpochMovesAFollowerToItsLeader() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    member.give(
        new QuorumInput.FetchAnswered(
            1, FetchResponse.failed(ErrorCode.FENCED_LEADER_EPOCH, 2, 6)));
    assertEquals(2, member.core.leaderId());
    assertEquals(2, member.replica(SendFetch.class).get(0).leaderId());
    assertEquals(6, member.disk.state().vote().epoch());
  }

  @Test
  void aWipedVoterHasNoVote() {
    LoneMember member = LoneMember.restarted(new UUID(8, 8));
    assertEquals(
        ErrorCode.INCONSISTENT_VOTER_SET, member.vote(request(3, 2, -1, 0, false)).error());
    member.pass(5_000);
    assertEquals(List.of(), member.all(QuorumEffect.SendVote.class));
    assertEquals(2, member.all(QuorumEffect.SendHello.class).size());
  }

  @Test
  void aNonLeaderTellsWhomItFollowsInItsRefusal() {
    LoneMember member = LoneMember.restartedWith(knewLeader(5, 3));
    member.give(new QuorumInput.FetchArrived(1, fetch(2, directory(2), 5, 0, -1)));
    FetchResponse response = member.replica(AnswerFetch.class).get(0).response();
    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, response.error());
    assertEquals(new FetchResponse.CurrentLeader(3, 5), response.currentLeader());
    member.give(new QuorumInput.FetchArrived(1, fetch(2, directory(2), 4, 0, -1)));
    assertEquals(
        ErrorCode.FENCED_LEADER_EPOCH, member.replica(AnswerFetch.class).get(0).response().error());
  }

  @Test
  void anObserverTakesNoEpochWithoutItsLeader() {
    LoneMember member = LoneMember.restarted(new UUID(8, 8), knewLeader(5, 3));
    member.give(
        new QuorumInput.FetchAnswered(
            1, FetchResponse.failed(ErrorCode.FENCED_LEADER_EPOCH, -1, 9)));
    assertEquals(5, member.core.epoch());
    member.give(
        new QuorumInput.HelloAnswered(
            new HelloResponse(2, directory(2), "host2:1", false, LoneMember.VOTERS, 2, 6)));
    assertEquals(6, member.core.epoch());
    assertEquals(2, member.replica(SendFetch.class).get(0).leaderId());
  }

  @Test
  void illegalTransitionsThrow() {
    assertThrows(IllegalStateException.class, () -> QuorumState.RESIGNED.to(QuorumState.LEADER));
    assertThrows(IllegalStateException.class, () -> QuorumState.FOLLOWER.to(QuorumState.CANDIDATE));
    assertThrows(IllegalStateException.class, () -> QuorumState.STOPPED.to(QuorumState.UNATTACHED));
  }

  @Test
  void addressesComeFromTheVoters() {
    LoneMember member = LoneMember.restartedWith();
    assertEquals("host2:1", member.core.addressOf(2));
    assertNull(member.core.addressOf(4));
  }

  @Test
  void helloTellsTheAddressOfAnObserverAndOfAVoterThatMovedButNotOfAnImpostor() {
    LoneMember member = LoneMember.restartedWith();
    hello(member, 4, directory(4), "host4:1");
    hello(member, 2, directory(2), "host2:9");
    hello(member, 3, new UUID(8, 8), "host3:9");
    assertEquals("host4:1", member.core.addressOf(4));
    assertEquals("host2:9", member.core.addressOf(2));
    assertEquals("host3:1", member.core.addressOf(3));
  }

  private static void hello(LoneMember member, int id, UUID directory, String address) {
    member.give(new QuorumInput.HelloArrived(1, new HelloRequest(id, directory, address, false)));
  }
}
