package io.tidemark.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tidemark.journal.StorageMetrics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.LongAdder;

/**
 * Runs in a measured node as its {@code tidemark.storage.metrics}. Each line on the node's standard
 * input asks for its {@link Counts}, which then stand in the file that a system property names,
 * behind that line.
 */
public final class NodeCounters implements StorageMetrics {
  /** The system property. */
  static final String FILE = "tidemark.bench.counters";

  /** In a question: collect garbage first. */
  static final String COLLECT = "collect";

  private static final LongAdder COMMITS = new LongAdder();
  private static final LongAdder FORCES = new LongAdder();
  private static final LongAdder FORCE_NANOS = new LongAdder();
  private static final LongAdder BYTES = new LongAdder();

  static {
    Thread answers = new Thread(NodeCounters::answer, "tidemark-bench-counters");
    answers.setDaemon(true);
    answers.start();
  }

  /**
   * Since the node was started.
   *
   * @param commits group commits
   * @param forces those that waited until the disk had them
   * @param forceNanos how long, added up
   * @param bytes of journal entries in all commits
   * @param heapBytes in use now
   * @param collectMillis in garbage collections
   */
  record Counts(
      long commits, long forces, long forceNanos, long bytes, long heapBytes, long collectMillis) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);

    static Counts now() {
      return new Counts(
          COMMITS.sum(),
          FORCES.sum(),
          FORCE_NANOS.sum(),
          BYTES.sum(),
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
          ManagementFactory.getGarbageCollectorMXBeans().stream()
              .mapToLong(GarbageCollectorMXBean::getCollectionTime)
              .sum());
    }

    static Counts parse(String text) {
      String[] words = text.trim().split(" ");
      long[] numbers = new long[6];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = Long.parseLong(words[i]);
      }
      return new Counts(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    }

    String text() {
      return "%d %d %d %d %d %d"
          .formatted(commits, forces, forceNanos, bytes, heapBytes, collectMillis);
    }

    /** What was added since then; the heap is as it is. */
    Counts since(Counts before) {
      return new Counts(
          commits - before.commits,
          forces - before.forces,
          forceNanos - before.forceNanos,
          bytes - before.bytes,
          heapBytes,
          collectMillis - before.collectMillis);
    }

    Counts plus(Counts other) {
      return new Counts(
          commits + other.commits,
          forces + other.forces,
          forceNanos + other.forceNanos,
          bytes + other.bytes,
          heapBytes + other.heapBytes,
          collectMillis + other.collectMillis);
    }
  }

  @Override
  public void committed(int entries, long bytes, long forceNanos) {
    COMMITS.increment();
    BYTES.add(bytes);
    if (forceNanos > 0) {
      FORCES.increment();
      FORCE_NANOS.add(forceNanos);
    }
  }

  private static void answer() {
    Path file = Path.of(System.getProperty(FILE));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try {
      String question;
      while ((question = questions.readLine()) != null) {
        if (question.startsWith(COLLECT)) {
          System.gc();
        }
        Files.writeString(fresh, question + "\n" + Counts.now().text() + "\n");
        Files.move(
            fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      System.out.println("no more counters are written: " + e);
    }
  }
}
