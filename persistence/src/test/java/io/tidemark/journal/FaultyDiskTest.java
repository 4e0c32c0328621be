package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.tidemark.journal.SimulatedDisk.Op;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A disk that fails at times, or has no room at times, under a storage directory that is used at
 * random. What fails is never acknowledged, what was acknowledged is never lost, and when the disk
 * is well again so is every log; also when the machine loses its power after that.
 */
class FaultyDiskTest {
  private static final int ROUNDS = Integer.getInteger("tidemark.faulty-disk.rounds", 25);
  private static final long SEED = Long.getLong("tidemark.faulty-disk.seed", System.nanoTime());

  private interface Trouble {
    void begin(SimulatedDisk disk, Random random);
  }

  @BeforeAll
  static void silence() {
    QuietLogs.begin();
    System.out.println("FaultyDiskTest: -Dtidemark.faulty-disk.seed=" + SEED);
  }

  @AfterAll
  static void speak() {
    QuietLogs.end();
  }

  @Test
  void writes_that_fail() {
    run(errors(EnumSet.of(Op.WRITE)));
  }

  @Test
  void forces_that_fail_and_lose_what_they_were_for() {
    run(errors(EnumSet.of(Op.FORCE)));
  }

  @Test
  void reads_that_fail() {
    run(errors(EnumSet.of(Op.READ)));
  }

  @Test
  void files_that_cannot_be_found_made_renamed_or_removed() {
    run(errors(EnumSet.of(Op.LOOK, Op.OPEN, Op.CREATE, Op.MOVE, Op.DELETE, Op.FORCE_DIRECTORY)));
  }

  @Test
  void a_full_disk() {
    run((disk, random) -> disk.free(random.nextInt(30_000)));
  }

  /** The more operations there are of a kind, the rarer one fails. */
  private static Trouble errors(Set<Op> failing) {
    return (disk, random) -> {
      int every = 1 + random.nextInt(40);
      disk.faults(
          (op, path) -> {
            if (failing.contains(op) && random.nextInt(every) == 0) {
              throw new IOException("Input/output error");
            }
          });
    };
  }

  private static void run(Trouble trouble) {
    for (int round = 0; round < ROUNDS; round++) {
      String context = "seed " + SEED + " round " + round;
      try {
        lives(trouble, new Random(SEED + round), context);
      } catch (IOException | RuntimeException e) {
        throw new AssertionError(context, e);
      }
    }
  }

  private static void lives(Trouble trouble, Random random, String context) throws IOException {
    SimulatedStorage storage = new SimulatedStorage(new SimulatedDisk(), random, context);
    storage.open();
    for (int life = 0; life < 3; life++) {
      storage.context(context + " life " + life);
      for (int i = random.nextInt(30); i > 0; i--) {
        storage.step();
      }
      trouble.begin(storage.disk(), random);
      for (int i = random.nextInt(30); i > 0; i--) {
        storage.step();
      }
      if (random.nextBoolean()) {
        storage.disk().well();
        storage.recoverFailed();
        for (int i = random.nextInt(10); i > 0; i--) {
          storage.step();
          storage.assertWell();
        }
      }
      boolean powerLoss = random.nextInt(3) > 0;
      SimulatedDisk left =
          powerLoss ? storage.disk().afterPowerLoss(random::nextInt) : storage.disk();
      storage.restartOn(left, powerLoss);
      openInTrouble(storage, trouble, random);
    }
    storage.restartOn(storage.disk(), false);
  }

  /** A start that fails says so, and the next one succeeds when the disk is well. */
  private static void openInTrouble(SimulatedStorage storage, Trouble trouble, Random random)
      throws IOException {
    trouble.begin(storage.disk(), random);
    try {
      storage.open();
    } catch (StorageException e) {
      assertFalse(e.getCause() == null, e.getMessage());
    } catch (IOException e) {
      assertFalse(e instanceof DamagedLogException, e.toString());
    }
    storage.disk().well();
    storage.restartOn(storage.disk(), false);
    storage.open();
  }
}
