package io.tidemark.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final long SECOND = 1_000_000_000;
  private static final long START = 7 * SECOND;

  private final TokenBucket bucket = new TokenBucket(1_000);

  private void assertOpensAfter(long nanos, long now) {
    long opens = bucket.opensAt(now);
    assertTrue(opens > now + nanos - 2 && opens <= now + nanos + 2, () -> "opens at " + opens);
  }

  @Test
  void a_second_s_worth_may_pass_at_once() {
    bucket.take(999, START);

    assertEquals(START, bucket.opensAt(START));
    bucket.take(1, START);
    assertTrue(bucket.opensAt(START) > START);
  }

  @Test
  void what_was_taken_too_much_is_paid_first() {
    bucket.take(3_000, START);

    assertOpensAfter(2 * SECOND, START);
    assertOpensAfter(SECOND, START + SECOND);
    long later = START + 2 * SECOND + 2_000_000;
    assertEquals(later, bucket.opensAt(later));
  }

  @Test
  void it_never_holds_more_than_a_second_s_worth() {
    bucket.take(1, START);
    long later = START + 3_600 * SECOND;

    bucket.take(1_500, later);

    assertOpensAfter(SECOND / 2, later);
  }

  @Test
  void over_a_long_time_no_more_passes_than_the_rate() {
    long now = START;
    long passed = 0;
    while (now < START + 100 * SECOND) {
      now = Math.max(now, bucket.opensAt(now));
      bucket.take(70, now);
      passed += 70;
    }

    assertTrue(passed > 99_000 && passed < 102_000, "passed " + passed);
  }

  @Test
  void a_clock_that_goes_back_fills_nothing() {
    bucket.take(2_000, START);

    assertOpensAfter(SECOND, START - 5 * SECOND);
    assertOpensAfter(SECOND, START);
  }

  @Test
  void without_a_rate_there_is_no_limit() {
    TokenBucket open = new TokenBucket(0);
    open.take(Long.MAX_VALUE, START);

    assertEquals(START, open.opensAt(START));
  }
}
