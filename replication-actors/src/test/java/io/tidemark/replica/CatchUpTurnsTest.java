package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CatchUpTurnsTest {
  private static final long MS = 1_000_000;

  private long now = 1_000 * MS;
  private CatchUpTurns turns = new CatchUpTurns(2);

  private boolean asks(Object who) {
    return turns.opensAt(who, now) <= now;
  }

  @Test
  void so_many_have_a_turn_at_once_and_the_others_are_told_when_to_ask_again() {
    assertTrue(asks("a"));
    assertTrue(asks("b"));

    long again = turns.opensAt("c", now);

    assertTrue(again > now);
    assertTrue(asks("a"), "it goes on");
  }

  @Test
  void whoever_asked_first_is_next() {
    asks("a");
    asks("b");
    asks("c");
    asks("d");
    turns.leave("a");

    assertFalse(asks("d"));
    assertTrue(asks("c"));
    assertFalse(asks("d"));
    turns.leave("b");
    assertTrue(asks("d"));
  }

  @Test
  void whoever_waits_far_behind_asks_less_often_but_every_second() {
    asks("a");
    asks("b");
    long first = turns.opensAt("c", now) - now;
    long last = 0;
    for (int i = 0; i < 1_000; i++) {
      long pause = turns.opensAt(i, now) - now;
      assertTrue(pause >= last);
      last = pause;
    }

    assertTrue(first <= 20 * MS);
    assertEquals(1_000 * MS, last);
  }

  @Test
  void a_turn_goes_on_while_nobody_waits() {
    asks("a");
    for (int i = 0; i < 20; i++) {
      now += CatchUpTurns.TURN_NANOS / 2;
      assertTrue(asks("a"));
    }
  }

  @Test
  void a_long_turn_ends_when_others_wait_and_its_holder_is_the_last_of_them() {
    asks("a");
    asks("b");
    asks("c");
    now += CatchUpTurns.TURN_NANOS;

    assertFalse(asks("a"));
    assertTrue(asks("c"));
    assertFalse(asks("a"));
    assertFalse(asks("b"), "c came, so it waits behind a");
    assertTrue(asks("a"));
  }

  @Test
  void whoever_is_gone_loses_its_turn_and_its_place() {
    asks("a");
    asks("b");
    asks("gone");
    now += CatchUpTurns.LEASE_NANOS / 2;
    asks("late");
    now += CatchUpTurns.LEASE_NANOS / 2 + 1;

    assertTrue(asks("late"));
    assertTrue(asks("later"));
  }

  @Test
  void whoever_leaves_the_queue_is_not_waited_for() {
    asks("a");
    asks("b");
    asks("c");
    asks("d");
    turns.leave("c");
    turns.leave("b");

    assertTrue(asks("d"));
  }

  /**
   * Each asks when it was told to, holds its turn for a while, and some are gone without a word.
   */
  @Test
  void everybody_gets_a_turn() {
    long seed = Long.getLong("tidemark.turns.seed", System.nanoTime());
    Random random = new Random(seed);
    int most = 1 + random.nextInt(8);
    turns = new CatchUpTurns(most);
    Map<Integer, Long> due = new HashMap<>();
    Map<Integer, Integer> left = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      due.put(i, now + random.nextInt(1_000) * MS);
      left.put(i, 1 + random.nextInt(100));
    }
    long end = now + 3_600_000 * MS;
    while (!due.isEmpty()) {
      assertTrue(now < end, "seed " + seed + ": " + due.size() + " still wait");
      List<Integer> asking = new ArrayList<>(due.keySet());
      asking.removeIf(who -> due.get(who) > now);
      int fetching = 0;
      for (Integer who : asking) {
        long opens = turns.opensAt(who, now);
        if (opens > now) {
          due.put(who, opens);
        } else if (left.merge(who, -1, Integer::sum) <= 0) {
          due.remove(who);
          if (random.nextInt(10) > 0) {
            turns.leave(who);
          }
        } else {
          fetching++;
          due.put(who, now + (5 + random.nextInt(200)) * MS);
        }
      }
      assertTrue(fetching <= most * 2, "seed " + seed);
      now += MS;
    }
  }
}
