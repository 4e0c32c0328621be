package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Power losses and kills at any moment, one after the other on one directory: of what was not
 * forced, each page of a file and each change to a directory is on disk or not.
 */
class PowerLossTest {
  private static final int ROUNDS = Integer.getInteger("tidemark.power-loss.rounds", 100);
  private static final int LOSSES = Integer.getInteger("tidemark.power-loss.losses", 8);
  private static final int CHANGES = 60;
  private static final long SEED = Long.getLong("tidemark.power-loss.seed", System.nanoTime());

  @BeforeAll
  static void silence() {
    QuietLogs.begin();
  }

  @AfterAll
  static void speak() {
    QuietLogs.end();
  }

  @Test
  void acknowledged_entries_survive_any_loss_of_what_was_not_forced() throws IOException {
    System.out.println("PowerLossTest: -Dtidemark.power-loss.seed=" + SEED);
    for (int round = 0; round < ROUNDS; round++) {
      String context = "seed " + SEED + " round " + round;
      try {
        livesAndDeaths(new Random(SEED + round), context);
      } catch (IOException | RuntimeException e) {
        throw new AssertionError(context, e);
      }
    }
  }

  /** A short life that ends at each of its changes; where there are too many losses, any. */
  @Test
  void every_loss_at_every_step_of_a_short_life() throws IOException {
    System.out.println("PowerLossTest: -Dtidemark.power-loss.seed=" + SEED);
    int exhausted = 0;
    for (int changes = 0; changes < CHANGES; changes++) {
      String context = "seed " + SEED + " changes " + changes + " loss ";
      EveryChoice choices = new EveryChoice();
      boolean more = choices.next();
      for (int i = 0; i < LOSSES && more; i++) {
        shortLife(changes, choices, context + choices);
        more = choices.next();
      }
      exhausted += more ? 0 : 1;
      for (int i = 0; i < LOSSES && more; i++) {
        shortLife(changes, any(new Random(SEED + i)), context + i);
      }
    }
    System.out.println("PowerLossTest: every loss at " + exhausted + " of " + CHANGES + " changes");
  }

  private static void shortLife(int changes, IntUnaryOperator choices, String context)
      throws IOException {
    Random random = new Random(SEED);
    SimulatedStorage storage = new SimulatedStorage(new SimulatedDisk(), random, context);
    storage.open();
    storage.dieAfter(changes);
    for (int i = 0; i < 8; i++) {
      storage.step();
    }
    storage.restartOn(storage.disk().afterPowerLoss(choices), true);
    storage.open();
    for (int i = 0; i < 4; i++) {
      storage.step();
    }
    storage.restartOn(storage.disk().afterPowerLoss(any(random)), true);
    storage.open();
    storage.restartOn(storage.disk(), false);
  }

  /** Each life ends at a random change to the disk, which may be one of its recovery. */
  private static void livesAndDeaths(Random random, String context) throws IOException {
    SimulatedStorage storage = new SimulatedStorage(new SimulatedDisk(), random, context);
    for (int life = 0; life < 6; life++) {
      storage.context(context + " life " + life);
      boolean diesEarly = random.nextInt(3) == 0;
      boolean opened = false;
      if (diesEarly) {
        storage.dieAfter(random.nextInt(40));
      }
      try {
        storage.open();
        opened = true;
      } catch (IOException | StorageException e) {
        assertTrue(diesEarly, () -> context + ": " + e);
      }
      if (opened) {
        if (!diesEarly) {
          storage.dieAfter(random.nextInt(300));
        }
        for (int i = random.nextInt(60); i > 0; i--) {
          storage.step();
        }
        if (random.nextInt(4) == 0) {
          closeUnlessDead(storage);
        }
      }
      boolean powerLoss = random.nextInt(4) > 0;
      SimulatedDisk left = powerLoss ? storage.disk().afterPowerLoss(any(random)) : storage.disk();
      storage.restartOn(left, powerLoss);
    }
    storage.open();
    storage.restartOn(storage.disk(), false);
  }

  private static void closeUnlessDead(SimulatedStorage storage) {
    try {
      storage.close();
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("power is off"), e.toString());
    }
  }

  /** Some power losses take much, some little. */
  private static IntUnaryOperator any(Random random) {
    int kept = random.nextInt(5);
    return options -> random.nextInt(4) < kept ? random.nextInt(options) : 0;
  }
}
