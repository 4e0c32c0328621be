package io.tidemark.quorum;

import io.tidemark.replica.ReplicaEffect;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One input's handling: its time, its randomness, and the effects it has. */
final class Step {
  private final long now;
  private final List<QuorumEffect> effects = new ArrayList<>();
  private long entropy;

  Step(long now, long entropy) {
    this.now = now;
    this.entropy = entropy;
  }

  long now() {
    return now;
  }

  void add(QuorumEffect effect) {
    effects.add(effect);
  }

  List<QuorumEffect> effects() {
    return effects;
  }

  void replicate(Consumer<List<ReplicaEffect>> work) {
    List<ReplicaEffect> out = new ArrayList<>();
    work.accept(out);
    out.forEach(effect -> add(new QuorumEffect.Replicate(effect)));
  }

  /** Between 0 and {@code bound}, exclusive; several of one step differ (SplitMix64). */
  long random(long bound) {
    entropy += 0x9E3779B97F4A7C15L;
    long mixed = (entropy ^ (entropy >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return Math.floorMod(mixed ^ (mixed >>> 31), Math.max(1, bound));
  }
}
