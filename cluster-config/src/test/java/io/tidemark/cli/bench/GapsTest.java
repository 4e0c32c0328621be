package io.tidemark.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class GapsTest {

  @Test
  void the_longest_gap_of_any_partition_counts_also_one_that_is_open() {
    Gaps gaps = new Gaps(2, 100);

    gaps.acknowledged(0, 110);
    gaps.acknowledged(1, 130);
    gaps.acknowledged(0, 131);

    assertEquals(30, gaps.longest(131));
    assertEquals(1, gaps.open(131));
    assertEquals(70, gaps.longest(200));
    assertEquals(70, gaps.open(200));
  }

  @Test
  void a_new_beginning_forgets_old_gaps_but_not_the_start_of_an_open_one() {
    Gaps gaps = new Gaps(1, 0);
    gaps.acknowledged(0, 500);

    gaps.begin();

    assertEquals(10, gaps.longest(510));
    gaps.acknowledged(0, 540);
    gaps.acknowledged(0, 545);
    assertEquals(40, gaps.longest(546));
  }

  @Test
  void what_was_acknowledged_and_not_seen_again_is_missing() {
    NumberedTally tally = new NumberedTally(2, 0);
    for (long number : new long[] {0, 1, 2, 5}) {
      tally.acknowledged(number, 10, 20);
    }
    BitSet seen = new BitSet();
    seen.set(1, 5);

    assertEquals(2, tally.missing(seen));
    assertEquals(4, tally.acknowledged());
    seen.set(0, 6);
    assertEquals(0, tally.missing(seen));
  }
}
