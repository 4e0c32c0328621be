package io.tidemark.simulation;

import java.util.List;
import java.util.UUID;

/** Pseudo-random numbers that are the same on every machine (SplitMix64). */
final class Chance {
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private long state;

  Chance(long seed) {
    state = seed;
  }

  static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  long next() {
    state += GAMMA;
    return mix(state);
  }

  /** From 0 to {@code bound}, exclusive. */
  int below(int bound) {
    return (int) below((long) bound);
  }

  long below(long bound) {
    return bound <= 1 ? 0 : (next() >>> 1) % bound;
  }

  /** From {@code low} to {@code high}, both inclusive. */
  long between(long low, long high) {
    return low + below(high - low + 1);
  }

  boolean happens(double probability) {
    return (next() >>> 11) * 0x1.0p-53 < probability;
  }

  <T> T oneOf(List<T> choices) {
    return choices.get(below(choices.size()));
  }

  UUID uuid() {
    return new UUID(next(), next());
  }
}
