package io.tidemark.cli.bench;

import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.RecordMetadata;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;

/** Writes numbered records to the partitions in turn, until it is told to stop. */
final class Writer {
  private static final int RANDOM_BYTES = 1 << 20;
  private static final long SEED = 20_231_103;

  /** What the key of each record is. */
  enum Key {
    NONE,
    NUMBER,
    /** The nano time from which its latency counts. */
    TIME
  }

  /**
   * Where to, and what.
   *
   * @param producer is closed in the end
   * @param size of the values, in bytes
   */
  record Target(Producer<ByteBuffer, ByteBuffer> producer, String topic, int size) {}

  private final Target target;
  private final Tally tally;
  private final Room room;
  private final Pace pace;
  private final Key key;
  private final byte[] random;
  private final Thread thread;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean stopped;

  Writer(Target target, Tally tally, Room room, Pace pace, Key key) {
    this.target = target;
    this.tally = tally;
    this.room = room;
    this.pace = pace;
    this.key = key;
    this.random = new byte[RANDOM_BYTES + target.size()];
    new Random(SEED).nextBytes(random);
    this.thread = new Thread(this::run, "bench-writer");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      for (long number = 0; !stopped; number++) {
        long since = pace.await(number);
        if (since == Pace.SKIPPED) {
          tally.failed("more was on its way than the producer's memory takes");
        } else {
          send(number, since);
        }
      }
      ended.complete(null);
    } catch (InterruptedException e) {
      ended.complete(null);
    } catch (RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }

  private void send(long number, long since) {
    // Another piece of the same random bytes each time: nothing is made, and nothing compresses.
    int at = (int) (number * 61 % RANDOM_BYTES);
    target
        .producer()
        .send(
            new ProducerRecord<>(
                target.topic(),
                (int) (number % tally.partitions()),
                keyOf(number, since),
                ByteBuffer.wrap(random, at, target.size()).slice()))
        .whenComplete(new Told(number, since, tally, room));
  }

  /** Made for each record. */
  private record Told(long number, long since, Tally tally, Room room)
      implements BiConsumer<RecordMetadata, Throwable> {
    @Override
    public void accept(RecordMetadata written, Throwable failure) {
      room.give();
      if (failure == null) {
        tally.acknowledged(number, since, System.nanoTime());
      } else {
        Throwable cause = failure instanceof CompletionException c ? c.getCause() : failure;
        tally.failed(cause.getMessage());
      }
    }
  }

  private ByteBuffer keyOf(long number, long since) {
    return switch (key) {
      case NONE -> null;
      case NUMBER -> ByteBuffer.allocate(Long.BYTES).putLong(0, number);
      case TIME -> ByteBuffer.allocate(Long.BYTES).putLong(0, since);
    };
  }

  /** Sends no more; completes when all that was sent is acknowledged or has failed. */
  CompletableFuture<Void> stop() {
    stopped = true;
    thread.interrupt();
    return ended.thenCompose(nothing -> target.producer().close()).thenAccept(closed -> {});
  }
}
