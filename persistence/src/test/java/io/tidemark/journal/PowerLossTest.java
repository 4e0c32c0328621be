package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Emulates power losses: of what was not forced, each 4 KiB page of a file is on disk or not,
 * independently, and newly created files may be missing pages too.
 */
class PowerLossTest {
  private static final int PAGE = 4096;
  private static final int ROUNDS = Integer.getInteger("tidemark.power-loss.rounds", 20);

  @TempDir Path parent;

  @Test
  void acknowledged_entries_survive_any_loss_of_unforced_pages() throws IOException {
    long seed = System.nanoTime();
    System.out.println("PowerLossTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      lifeAndDeath(parent.resolve("round-" + round), random, "seed " + seed + " round " + round);
    }
  }

  /** Several lives of one log, each ending in a power loss. */
  private static void lifeAndDeath(Path directory, Random random, String context)
      throws IOException {
    LogFixture fixture = new LogFixture(directory);
    List<String> acknowledged = new ArrayList<>();
    for (int life = 0; life < 4; life++) {
      long next = fixture.log("a").recover() + 1;
      List<String> found = fixture.read("a", 1);
      assertTrue(found.size() >= acknowledged.size(), context + ": " + found.size());
      assertEquals(acknowledged, found.subList(0, acknowledged.size()), context);
      assertEquals(next - 1, found.size(), context);
      acknowledged = new ArrayList<>(found);
      List<String> written = new ArrayList<>(found);

      Map<Path, byte[]> onDisk = contents(directory);
      for (int i = random.nextInt(30); i >= 0; i--) {
        String[] payloads = new String[1 + random.nextInt(3)];
        for (int p = 0; p < payloads.length; p++) {
          payloads[p] = life + "." + random.nextInt() + "-".repeat(random.nextInt(3_000));
          written.add(next + p + "=" + payloads[p]);
        }
        fixture.write("a", next, payloads);
        next += payloads.length;
        if (random.nextInt(4) == 0) {
          fixture.log("a").force();
          acknowledged = new ArrayList<>(written);
          onDisk = contents(directory);
        }
      }
      losePower(directory, onDisk, random);
      fixture.restart();
    }
  }

  private static Map<Path, byte[]> contents(Path directory) throws IOException {
    Map<Path, byte[]> contents = new HashMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        contents.put(file, Files.readAllBytes(file));
      }
    }
    return contents;
  }

  /** A new segment is forced with its header and zeros before it has its name. */
  private static void losePower(Path directory, Map<Path, byte[]> onDisk, Random random)
      throws IOException {
    for (Map.Entry<Path, byte[]> file : contents(directory).entrySet()) {
      byte[] now = file.getValue();
      byte[] forced = onDisk.get(file.getKey());
      if (forced == null) {
        forced = Arrays.copyOf(now, SegmentHeader.SIZE);
      }
      byte[] left = Arrays.copyOf(forced, now.length);
      for (int page = 0; page < now.length; page += PAGE) {
        if (random.nextBoolean()) {
          int end = Math.min(page + PAGE, now.length);
          System.arraycopy(now, page, left, page, end - page);
        }
      }
      Files.write(file.getKey(), left);
    }
  }
}
