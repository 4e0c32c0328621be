package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A persistent actor whose disk is full: a small file system of its own where one may be mounted,
 * otherwise a next segment that cannot be made.
 */
class FullDiskTest {
  @TempDir Path parent;

  @Test
  void the_actor_stops_and_goes_on_when_there_is_room_again() throws Exception {
    Path disk = Files.createDirectory(parent.resolve("disk"));
    boolean mounted =
        run("mount", "-t", "tmpfs", "-o", "size=1m", "tidemark-test", disk.toString());
    try {
      fillAndGoOn(disk, mounted);
    } finally {
      if (mounted) {
        run("umount", "-l", disk.toString());
      }
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  private static void fillAndGoOn(Path disk, boolean mounted) throws IOException {
    Path ballast = disk.resolve("ballast");
    ActorTestKit kit =
        ActorTestKit.create(
            ConfigFactory.parseString("tidemark.storage.segment.initial-size = 8 KiB")
                .withFallback(TestConfig.withJournal("each-commit", disk.resolve("data"))));
    try {
      TestProbe<Long> probe = kit.createTestProbe();
      ActorRef<Counter.Command> counter = counter(kit);
      counter.tell(new Counter.Add("first", probe.ref()));
      assertEquals(1, probe.receiveMessage());
      if (!mounted) {
        // The next segment's file cannot be opened.
        Files.createDirectory(disk.resolve("data/journal/a/0000000000000000003.seg.next"));
      } else {
        fill(ballast);
      }

      long acknowledged = 1;
      while (tryAdd(kit, counter)) {
        acknowledged++;
        assertTrue(acknowledged < 1_000, "the disk is never full");
      }
      kit.createTestProbe().expectTerminated(counter, Duration.ofSeconds(10));

      if (mounted) {
        Files.delete(ballast);
      } else {
        Files.deleteIfExists(disk.resolve("data/journal/a/0000000000000000003.seg.next"));
      }
      ActorRef<Counter.Command> again = counter(kit);
      TestProbe<Long> after = kit.createTestProbe();
      again.tell(new Counter.Add("x".repeat(6_000), after.ref()));
      long found = after.receiveMessage();
      // The write that failed may have been whole.
      assertTrue(found == acknowledged + 1 || found == acknowledged + 2, found + " events");
    } finally {
      kit.shutdownTestKit();
    }
  }

  private static ActorRef<Counter.Command> counter(ActorTestKit kit) {
    return kit.spawn(Counter.create("a", "tidemark.journal.each-commit"));
  }

  /** False when the actor has stopped instead of answering. */
  private static boolean tryAdd(ActorTestKit kit, ActorRef<Counter.Command> counter) {
    TestProbe<Long> probe = kit.createTestProbe();
    counter.tell(new Counter.Add("x".repeat(6_000), probe.ref()));
    for (int i = 0; i < 300; i++) {
      try {
        probe.receiveMessage(Duration.ofMillis(50));
        return true;
      } catch (AssertionError noAnswer) {
        if (hasStopped(kit, counter)) {
          return false;
        }
      }
    }
    throw new AssertionError("neither an answer nor an end");
  }

  private static boolean hasStopped(ActorTestKit kit, ActorRef<Counter.Command> counter) {
    try {
      kit.createTestProbe().expectTerminated(counter, Duration.ofMillis(50));
      return true;
    } catch (AssertionError alive) {
      return false;
    }
  }

  private static void fill(Path ballast) throws IOException {
    try (FileChannel channel =
        FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer block = ByteBuffer.allocate(4096);
      while (true) {
        channel.write(block.clear());
      }
    } catch (IOException full) {
      assertTrue(full.getMessage().contains("No space left"), full.toString());
    }
  }
}
