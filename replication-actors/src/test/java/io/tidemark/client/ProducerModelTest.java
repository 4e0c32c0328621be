package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The producer's core against a model of what it promises. Longer, or again: {@code
 * -Dtidemark.producer.rounds=10000 -Dtidemark.producer.seed=<seed>}.
 */
class ProducerModelTest {
  private static final long SEED = Long.getLong("tidemark.producer.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("tidemark.producer.rounds", 300);
  private static final int STEPS = 600;

  @Test
  void whatever_happens_records_are_in_order_written_once_and_each_is_told_what_became_of_it() {
    System.out.println("ProducerModelTest: -Dtidemark.producer.seed=" + SEED);
    Random seeds = new Random(SEED);
    int acknowledged = 0;
    int failed = 0;
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      ProducerModel model = new ProducerModel(seeds.nextLong());
      try {
        for (int step = 0; step < STEPS; step++) {
          model.step();
        }
        model.heal();
        model.check();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed %d, round %d".formatted(SEED, round), e);
      }
      acknowledged += model.acknowledged;
      failed += model.failed;
      refused += model.refused;
    }
    String done = "acknowledged %d, failed %d, refused %d".formatted(acknowledged, failed, refused);
    System.out.println(done);
    assertTrue(acknowledged > ROUNDS && failed > ROUNDS && refused > 0, done);
  }
}
