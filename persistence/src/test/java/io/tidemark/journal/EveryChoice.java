package io.tidemark.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Takes, run by run, every way through a sequence of choices. What is chosen may decide which
 * choices follow.
 */
final class EveryChoice implements IntUnaryOperator {
  private final List<Integer> chosen = new ArrayList<>();
  private final List<Integer> options = new ArrayList<>();
  private int at;
  private boolean began;

  /** Prepares the next run; false when there is none. */
  boolean next() {
    at = 0;
    if (!began) {
      began = true;
      return true;
    }
    int last = chosen.size() - 1;
    while (last >= 0 && chosen.get(last) + 1 == options.get(last)) {
      chosen.remove(last);
      options.remove(last--);
    }
    if (last < 0) {
      return false;
    }
    chosen.set(last, chosen.get(last) + 1);
    return true;
  }

  @Override
  public int applyAsInt(int count) {
    if (at == chosen.size()) {
      chosen.add(0);
      options.add(count);
    }
    return chosen.get(at++);
  }

  @Override
  public String toString() {
    return chosen.toString();
  }
}
