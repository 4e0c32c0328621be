package io.tidemark.quorum;

import static io.tidemark.quorum.LoneMember.directory;
import static io.tidemark.quorum.LoneMember.fetch;
import static io.tidemark.quorum.LoneMember.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import io.tidemark.quorum.QuorumSimulation.Node;
import io.tidemark.replica.ReplicaEffect.AnswerFetch;
import io.tidemark.replica.ReplicaEffect.Persist;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuorumScenariosTest {

  private static QuorumSimulation withLeader(long seed, int voters, int observers) {
    QuorumSimulation simulation = new QuorumSimulation(seed, voters, observers);
    assertTrue(simulation.runUntil(5_000, () -> simulation.leader() != null));
    simulation.run(500);
    return simulation;
  }

  private static Node follower(QuorumSimulation simulation) {
    int id = simulation.leader().id % 3 + 1;
    return simulation.node(id);
  }

  @Test
  void s44_a_wiped_voter_returns_as_an_observer_whose_fetches_do_not_count() {
    QuorumSimulation simulation = withLeader(44, 3, 0);
    Node wiped = simulation.leader();
    simulation.append(wiped);
    simulation.run(500);
    simulation.crash(wiped.id);
    simulation.wipe(wiped.id);
    assertTrue(simulation.runUntil(3_000, () -> simulation.leader() != null));
    simulation.restart(wiped.id);
    simulation.run(2_000);

    assertEquals(3, wiped.core.voters().size());
    assertEquals(simulation.leader().core.highWatermark(), wiped.core.highWatermark());
    int other = 6 - wiped.id - simulation.leader().id;
    simulation.crash(other);
    int committed = simulation.invariants().committedRecords();
    simulation.append(simulation.leader());
    simulation.run(300);
    assertEquals(committed, simulation.invariants().committedRecords());
    simulation.run(5_000);
    assertNull(simulation.leader());
    simulation.restart(other);
    assertTrue(simulation.runUntil(3_000, () -> simulation.leader() != null));
  }

  @Test
  void s45_a_restarted_leader_is_resigned_in_its_epoch() {
    LoneMember member =
        LoneMember.restartedWith(new VoteRecorded(new QuorumVote(7, 1, 1, directory(1))));
    VoteResponse response = member.vote(request(7, 2, 99, 99, false));
    assertFalse(response.granted());
    assertEquals(-1, response.leaderId());
    member.give(new QuorumInput.AppendRequested(7, ByteBuffer.allocate(0)));
    assertEquals(List.of(), member.replica(Persist.class));
    member.give(new QuorumInput.FetchArrived(1, fetch(2, directory(2), 7, 0, -1)));
    assertEquals(
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        member.replica(AnswerFetch.class).get(0).response().error());
    assertEquals(7, member.core.epoch());

    member.pass(1_000);
    assertEquals(8, member.disk.state().vote().epoch());
    assertEquals(-1, member.disk.state().vote().votedFor());
  }

  @Test
  void s45_the_next_leader_is_of_a_newer_epoch() {
    QuorumSimulation simulation = withLeader(45, 3, 0);
    int epoch = simulation.leader().core.epoch();
    for (int id = 1; id <= 3; id++) {
      simulation.crash(id);
      simulation.restart(id);
    }
    assertTrue(simulation.runUntil(5_000, () -> simulation.leader() != null));
    assertTrue(simulation.leader().core.epoch() > epoch);
  }

  @Test
  void s46_an_isolated_leader_resigns_and_answers_its_parked_fetches() {
    LoneMember leader = LoneMember.leading();
    leader.give(new QuorumInput.FetchArrived(5, fetch(2, directory(2), 1, 1, 1)));
    leader.give(new QuorumInput.FetchArrived(6, fetch(9, directory(9), 1, 1, 1)));
    leader.flushesAtOnce = false;
    leader.pass(1_400).give(new QuorumInput.FetchArrived(7, fetch(9, directory(9), 1, 1, 1)));
    leader.pass(100);

    List<AnswerFetch> answers = leader.replica(AnswerFetch.class);
    assertEquals(List.of(7L), answers.stream().map(AnswerFetch::token).toList());
    assertEquals(ErrorCode.NOT_LEADER_OR_FOLLOWER, answers.get(0).response().error());
    assertEquals(1, leader.only(QuorumEffect.LostLeadership.class).epoch());
    assertEquals(-1, leader.only(QuorumEffect.LeaderKnown.class).leaderId());
    assertEquals(-1, leader.core.leaderId());
  }

  @Test
  void s46_what_an_isolated_leader_appends_is_not_committed_and_goes_when_it_returns() {
    QuorumSimulation simulation = withLeader(46, 3, 0);
    Node isolated = simulation.leader();
    long before = isolated.core.highWatermark();
    simulation.isolate(isolated.id);
    simulation.append(isolated);
    simulation.run(2_500);

    assertFalse(isolated.core.isLeader());
    assertEquals(before, isolated.core.highWatermark());
    assertEquals(1, isolated.effects(QuorumEffect.LostLeadership.class).size());
    Node next = simulation.leader();
    assertNotNull(next);
    simulation.append(next);
    simulation.heal();
    simulation.run(3_000);
    assertEquals(next.core.highWatermark(), isolated.core.highWatermark());
    assertEquals(next.core.log().endOffset(), isolated.core.log().endOffset());
  }

  @Test
  void s47_a_long_isolated_follower_returns_without_disturbing_the_leader() {
    QuorumSimulation simulation = withLeader(47, 3, 0);
    Node leader = simulation.leader();
    Node stale = follower(simulation);
    int epoch = leader.core.epoch();
    simulation.isolate(stale.id);
    for (int i = 0; i < 20; i++) {
      simulation.append(leader);
      simulation.run(1_000);
    }
    assertEquals(epoch, stale.core.epoch());
    simulation.heal();
    simulation.run(3_000);

    assertEquals(leader, simulation.leader());
    assertEquals(epoch, leader.core.epoch());
    assertEquals(leader.core.highWatermark(), stale.core.highWatermark());
    assertEquals(List.of(), leader.effects(QuorumEffect.LostLeadership.class));
  }

  @Test
  void aDeadLeaderIsReplacedWithinOneAndAHalfSeconds() {
    for (long seed = 0; seed < 50; seed++) {
      QuorumSimulation simulation = withLeader(seed, 3, 0);
      simulation.crash(simulation.leader().id);
      assertTrue(simulation.runUntil(1_500, () -> simulation.leader() != null), "seed " + seed);
    }
  }

  @Test
  void aLeaderThatIsSeenToDieIsReplacedAtOnce() {
    int late = 0;
    for (long seed = 0; seed < 50; seed++) {
      QuorumSimulation simulation = withLeader(seed, 3, 0);
      int dead = simulation.leader().id;
      simulation.crash(dead);
      for (Node node : simulation.nodes()) {
        if (node.isUp()) {
          simulation.give(node, new QuorumInput.Suspected(dead));
        }
      }
      if (!simulation.runUntil(250, () -> simulation.leader() != null)) {
        late++;
      }
    }
    assertTrue(late <= 3, late + " of 50 were late");
  }

  @Test
  void aFalseSuspicionDisturbsNobody() {
    QuorumSimulation simulation = withLeader(48, 3, 1);
    Node leader = simulation.leader();
    simulation.give(follower(simulation), new QuorumInput.Suspected(leader.id));
    simulation.run(3_000);
    assertEquals(leader, simulation.leader());
    assertEquals(List.of(), leader.effects(QuorumEffect.LostLeadership.class));
  }

  @Test
  void aSoleVoterFormsAndLeadsByItself() {
    QuorumSimulation simulation = new QuorumSimulation(1, 1, 1);
    assertTrue(simulation.runUntil(100, () -> simulation.leader() != null));
    simulation.append(simulation.leader());
    simulation.run(1_000);
    assertEquals(2, simulation.node(1).core.highWatermark());
    assertEquals(2, simulation.node(2).core.highWatermark());
    assertEquals(1, simulation.node(2).core.leaderId());
  }

  @Test
  void nobodyFormsUntilAllVotersAreThere() {
    QuorumSimulation simulation = new QuorumSimulation(2, 3, 1);
    simulation.crash(3);
    simulation.run(10_000);
    assertNull(simulation.leader());
    assertEquals(List.of(), simulation.agreedVoters());
    simulation.restart(3);
    assertTrue(simulation.runUntil(3_000, () -> simulation.leader() != null));
    assertEquals(List.of(1, 2, 3), simulation.agreedVoters().stream().map(Voter::id).toList());
  }

  @Test
  void anObserverFollowsTheLeaderThroughElections() {
    QuorumSimulation simulation = withLeader(3, 3, 1);
    Node observer = simulation.node(4);
    simulation.run(1_000);
    assertEquals(simulation.leader().id, observer.core.leaderId());
    simulation.crash(simulation.leader().id);
    assertTrue(simulation.runUntil(4_000, () -> simulation.leader() != null));
    simulation.append(simulation.leader());
    simulation.run(3_000);
    assertEquals(simulation.leader().id, observer.core.leaderId());
    assertEquals(simulation.leader().core.highWatermark(), observer.core.highWatermark());
  }

  @Test
  void anOrderlyStopHandsOverAtOnce() {
    QuorumSimulation simulation = withLeader(4, 3, 0);
    Node stopping = simulation.leader();
    simulation.give(stopping, new QuorumInput.ResignRequested());
    assertTrue(simulation.runUntil(200, () -> simulation.leader() != null));
    assertFalse(stopping.core.isLeader());
  }
}
