package io.tidemark.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.cluster.ClusterChoice.Decision;
import io.tidemark.cluster.ClusterChoice.Situation;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterChoiceTest {
  private static final Decision WAIT = new Decision.Wait();
  private static final Decision FORM = new Decision.Form();

  private final ClusterChoice choice = new ClusterChoice("a", List.of("a", "b", "c"));

  private static Situation alone(String leader, boolean registered) {
    return new Situation(leader, registered, false, null);
  }

  private static Situation in(String leader, String oldest) {
    return new Situation(leader, true, true, oldest);
  }

  @Test
  void nobody_knows_where_to_go_without_a_leader() {
    assertEquals(WAIT, choice.decide(alone(null, true), 0));
    assertEquals(List.of(), choice.toAsk(alone(null, true)));
  }

  @Test
  void the_leader_forms_a_cluster_when_every_voter_is_in_none() {
    assertEquals(WAIT, choice.decide(alone("a", true), 0));
    assertEquals(List.of("b", "c"), choice.toAsk(alone("a", true)));
    choice.answered("b", false, null, 1);
    assertEquals(WAIT, choice.decide(alone("a", true), 1));

    choice.answered("c", false, null, 2);

    assertEquals(FORM, choice.decide(alone("a", true), 2));
  }

  @Test
  void a_leader_that_the_quorum_has_not_followed_yet_forms_none() {
    choice.decide(alone("a", false), 0);
    choice.answered("b", false, null, 1);
    choice.answered("c", false, null, 1);

    assertEquals(WAIT, choice.decide(alone("a", false), 1));
  }

  @Test
  void a_leader_joins_a_voter_that_is_in_a_cluster_already() {
    choice.decide(alone("a", true), 0);
    choice.answered("b", false, null, 1);
    choice.answered("c", true, "c#1", 1);

    assertEquals(new Decision.Join("c"), choice.decide(alone("a", true), 1));
  }

  @Test
  void a_silent_voter_is_waited_for_and_then_taken_to_be_down() {
    choice.decide(alone("a", true), 0);
    long almost = ClusterChoice.SILENCE_NANOS - 1;
    choice.answered("b", false, null, almost);
    assertEquals(WAIT, choice.decide(alone("a", true), almost));

    assertEquals(FORM, choice.decide(alone("a", true), almost + 1));
  }

  @Test
  void without_most_voters_no_cluster_is_formed_however_long_they_are_silent() {
    choice.decide(alone("a", true), 0);

    assertEquals(WAIT, choice.decide(alone("a", true), 100 * ClusterChoice.SILENCE_NANOS));
  }

  @Test
  void old_answers_and_answers_of_another_leader_s_time_do_not_count() {
    choice.decide(alone("a", true), 0);
    choice.answered("b", false, null, 1);
    choice.answered("c", false, null, 1);
    assertEquals(WAIT, choice.decide(alone("a", true), ClusterChoice.FRESH_NANOS + 2));
    choice.answered("b", false, null, ClusterChoice.FRESH_NANOS + 3);
    choice.answered("c", false, null, ClusterChoice.FRESH_NANOS + 3);

    choice.decide(alone("b", true), ClusterChoice.FRESH_NANOS + 4);

    assertEquals(WAIT, choice.decide(alone("a", true), ClusterChoice.FRESH_NANOS + 5));
  }

  @Test
  void all_others_join_the_leader_when_it_is_in_a_cluster() {
    choice.decide(alone("b", true), 0);
    assertEquals(List.of("b"), choice.toAsk(alone("b", true)));
    choice.answered("b", false, null, 1);
    assertEquals(WAIT, choice.decide(alone("b", true), 1));

    choice.answered("b", true, "b#1", 2);

    assertEquals(new Decision.Join("b"), choice.decide(alone("b", true), 2));
  }

  @Test
  void a_member_of_another_cluster_than_the_leader_s_starts_anew_after_a_while() {
    choice.decide(in("b", "a#1"), 0);
    choice.answered("b", true, "b#1", 1);
    assertEquals(WAIT, choice.decide(in("b", "a#1"), 1));

    choice.answered("b", true, "b#1", 1 + ClusterChoice.STRAY_NANOS);

    assertEquals(
        new Decision.StartAnew(), choice.decide(in("b", "a#1"), 1 + ClusterChoice.STRAY_NANOS));
  }

  @Test
  void a_difference_that_passes_is_no_reason_to_start_anew() {
    choice.decide(in("b", "a#1"), 0);
    choice.answered("b", true, "b#1", 1);
    choice.decide(in("b", "a#1"), 1);
    choice.answered("b", true, "b#1", 2);
    choice.decide(in("b", "b#1"), 2);

    choice.answered("b", true, "b#1", 2 + ClusterChoice.STRAY_NANOS);

    assertEquals(WAIT, choice.decide(in("b", "a#1"), 2 + ClusterChoice.STRAY_NANOS));
  }
}
