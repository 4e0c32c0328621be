package io.tidemark.client;

import io.tidemark.client.ProducerEffect.Failed;
import io.tidemark.client.ProducerEffect.Flushed;
import io.tidemark.client.ProducerEffect.Succeeded;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Flushes under way: each waits for the records that were sent before it, and for no later one, so
 * that somebody who goes on sending does not keep it from ending. Tokens rise with time.
 */
final class Flushes {
  private static final class Waiting {
    private final long token;
    private long remaining;

    Waiting(long token, long remaining) {
      this.token = token;
      this.remaining = remaining;
    }
  }

  private final List<Waiting> waiting = new ArrayList<>();
  private long unsettled;

  void sent() {
    unsettled++;
  }

  void add(long token) {
    waiting.add(new Waiting(token, unsettled));
  }

  boolean isAnyWaiting() {
    return !waiting.isEmpty();
  }

  /** Counts what the effects settle, and adds the flushes that are done by it. */
  void settle(List<ProducerEffect> effects) {
    for (ProducerEffect effect : effects) {
      if (effect instanceof Succeeded success) {
        settled(success.token().number());
      } else if (effect instanceof Failed failure) {
        settled(failure.token().number());
      }
    }
    for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
      Waiting flush = all.next();
      if (flush.remaining == 0) {
        all.remove();
        effects.add(new Flushed(flush.token));
      }
    }
  }

  private void settled(long token) {
    unsettled--;
    for (Waiting flush : waiting) {
      if (token < flush.token) {
        flush.remaining--;
      }
    }
  }
}
