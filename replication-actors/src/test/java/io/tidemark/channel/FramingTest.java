package io.tidemark.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.channel.Frames.Frame;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** {@code -Dtidemark.framing.seed} runs one again. */
class FramingTest {
  private static final long FIRST_SEED = Long.getLong("tidemark.framing.seed", 1);
  private static final int RUNS = Integer.getInteger("tidemark.framing.rounds", 30);
  private static final int MAX_FRAME = 1 << 20;

  /** Takes as much as it likes at a time; often nothing. */
  private static final class Stingy implements WritableByteChannel {
    private final Random random;
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    Stingy(Random random) {
      this.random = random;
    }

    @Override
    public int write(ByteBuffer from) {
      int bytes = random.nextInt(4) == 0 ? 0 : random.nextInt(from.remaining() + 1);
      for (int i = 0; i < bytes; i++) {
        taken.write(from.get());
      }
      return bytes;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** Gives as much as it likes at a time, until the end. */
  private static final class Trickle implements ReadableByteChannel {
    private final Random random;
    private final ByteBuffer left;

    Trickle(Random random, byte[] bytes) {
      this.random = random;
      this.left = ByteBuffer.wrap(bytes);
    }

    @Override
    public int read(ByteBuffer into) {
      if (!left.hasRemaining()) {
        return -1;
      }
      int bytes = Math.min(into.remaining(), random.nextInt(left.remaining() + 1));
      into.put(left.slice(left.position(), bytes));
      left.position(left.position() + bytes);
      return bytes;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void what_is_sent_arrives_whole_and_in_order_however_the_socket_cuts_it() throws IOException {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      Random random = new Random(seed);
      List<ByteBuffer> sent = new ArrayList<>();
      Stingy socket = new Stingy(random);
      Outbox outbox = new Outbox(socket);
      boolean hasTurn = false;
      for (int i = 0; i < 40; i++) {
        byte[] body = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 600_000 : 200)];
        random.nextBytes(body);
        sent.add(ByteBuffer.wrap(body));
        // Half of them have nothing behind the head, as answers have.
        int cut = random.nextBoolean() ? body.length : random.nextInt(body.length + 1);
        ByteBuffer head = ByteBuffer.allocate(4 + cut).putInt(body.length).put(body, 0, cut).flip();
        assertTrue(outbox.add(new Frame(head, ByteBuffer.wrap(body, cut, body.length - cut))));
        hasTurn = hasTurn ? !outbox.goOn() : !outbox.flush();
      }
      while (hasTurn) {
        hasTurn = !outbox.goOn();
      }
      List<ByteBuffer> got = new ArrayList<>();
      Inbox inbox = new Inbox(new Trickle(random, socket.taken.toByteArray()), MAX_FRAME);
      assertThrows(
          EOFException.class,
          () -> {
            while (true) {
              inbox.read(got::add);
            }
          });
      assertEquals(sent, got, "-Dtidemark.framing.seed=" + seed);
    }
  }

  @Test
  void a_length_out_of_range_is_refused_before_anything_is_allocated() {
    for (int length : new int[] {0, -1, Integer.MIN_VALUE, MAX_FRAME + 1, Integer.MAX_VALUE}) {
      byte[] bytes = ByteBuffer.allocate(8).putInt(length).array();
      Inbox inbox = new Inbox(new Trickle(new Random(1), bytes), MAX_FRAME);

      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> {
                while (true) {
                  inbox.read(frame -> {});
                }
              });

      assertTrue(refused.getMessage().contains(String.valueOf(length)), refused.getMessage());
    }
  }

  @Test
  void a_peer_that_takes_nothing_fills_no_memory() throws IOException {
    Stingy none = new Stingy(new Random(1));
    Outbox outbox = new Outbox(none);
    ByteBuffer mebibyte = ByteBuffer.allocate(1 << 20);
    int taken = 0;
    while (outbox.add(new Frame(ByteBuffer.allocate(0), mebibyte.duplicate()))) {
      taken++;
    }

    assertEquals(Outbox.MAX_BYTES >> 20, taken);

    boolean hasTurn = !outbox.flush();
    while (hasTurn) {
      hasTurn = !outbox.goOn();
    }
    assertTrue(outbox.add(new Frame(ByteBuffer.allocate(0), mebibyte.duplicate())));
  }

  @Test
  void a_greeting_of_another_program_or_version_is_told_apart() {
    Frames.Hello hello = new Frames.Hello("akka://a@host:1", "akka://b@host:2");
    ByteBuffer body = Frames.hello(hello).head().position(5).slice();

    assertEquals(hello, Frames.hello(body.duplicate()));
    assertThrows(RuntimeException.class, () -> Frames.hello(body.duplicate().limit(20)));
    assertThrows(RuntimeException.class, () -> Frames.hello(ByteBuffer.wrap("GET / H".getBytes())));
    ByteBuffer newer = ByteBuffer.allocate(body.remaining()).put(body).put(4, (byte) 9).flip();
    RuntimeException refused = assertThrows(RuntimeException.class, () -> Frames.hello(newer));
    assertTrue(refused.getMessage().contains("version 9"), refused.getMessage());
    assertFalse(body.hasRemaining());
  }
}
