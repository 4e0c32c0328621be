package io.tidemark.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file for a log's next segment, zeroed and forced by another thread while the last segment
 * fills. The writer that begins a segment has only its header to force then, and does not wait
 * until the disk has taken the zeros behind all that others have given it.
 *
 * <p>Not needed for anything: where it is not ready the writer makes the file itself. One that is
 * left behind is removed when the log is opened.
 */
final class SpareSegment {
  private static final Logger LOG = LoggerFactory.getLogger(SpareSegment.class);

  private final Path file;
  private final Executor background;

  /** Completes with the zeroed bytes, null when it could not be made; null when none is wanted. */
  private CompletableFuture<Long> made;

  SpareSegment(Path folder, Executor background) {
    this.file = folder.resolve("spare.next");
    this.background = background;
  }

  /** Has one made, unless there is one or will be. */
  void prepare(long capacity) {
    if (made != null) {
      return;
    }
    CompletableFuture<Long> making = new CompletableFuture<>();
    try {
      background.execute(() -> making.complete(make(capacity)));
      made = making;
    } catch (RejectedExecutionException e) {
      LOG.debug("no spare segment {}: the storage is being closed", file);
    }
  }

  private Long make(long capacity) {
    try (FileChannel channel = DurableFiles.openOrCreate(file)) {
      long zeroed = Segment.zero(channel, capacity);
      channel.force(true);
      return zeroed;
    } catch (IOException | RuntimeException | Error e) {
      LOG.debug("no spare segment {}: {}", file, e.toString());
      remove();
      return null;
    }
  }

  /**
   * Moves it away from here, if it is ready.
   *
   * @return its zeroed bytes, 0 when there is none
   */
  long takeAs(Path next) throws IOException {
    if (made == null || !made.isDone()) {
      return 0;
    }
    Long zeroed = made.join();
    made = null;
    if (zeroed == null || !DurableFiles.exists(file)) {
      return 0;
    }
    Files.move(file, next, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return zeroed;
  }

  /** The log is empty: its space is given back. */
  void drop() {
    if (made != null) {
      made.thenRun(this::remove);
      made = null;
    }
  }

  private void remove() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.debug("spare segment {} stays until its log is opened: {}", file, e.toString());
    }
  }
}
