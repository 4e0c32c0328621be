package io.tidemark.channel;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What goes over a connection: a length of 4 bytes (what follows it), a kind of one byte, and what
 * the kind says. Big-endian. Messages have their own letters as kinds.
 */
final class Frames {
  /** First on each side: magic number, version, the sender's address and the receiver's. */
  static final byte HELLO = 0;

  /** A sign of life. */
  static final byte PING = 1;

  /** The next ref, in text; messages name refs by their numbers, which count from 0. */
  static final byte REF = 2;

  static final int LENGTH_BYTES = 4;
  private static final int MAGIC = 0x7469_6465;
  private static final byte VERSION = 1;

  /**
   * One frame on its way.
   *
   * @param tail follows the head; often a message's records, which are not copied
   */
  record Frame(ByteBuffer head, ByteBuffer tail) {
    int bytes() {
      return head.remaining() + tail.remaining();
    }
  }

  /** Who speaks, and whom he takes the other side for. */
  record Hello(String from, String to) {}

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private Frames() {}

  static Frame hello(Hello hello) {
    byte[] from = bytes(hello.from());
    byte[] to = bytes(hello.to());
    ByteBuffer body = ByteBuffer.allocate(4 + 1 + 4 + from.length + 4 + to.length);
    body.putInt(MAGIC).put(VERSION);
    body.putInt(from.length).put(from).putInt(to.length).put(to);
    return of(HELLO, body.array());
  }

  /**
   * @throws IllegalArgumentException when this is no greeting, or one of another version
   */
  static Hello hello(ByteBuffer body) {
    if (body.remaining() < 5 || body.getInt() != MAGIC) {
      throw new IllegalArgumentException("it does not begin with a greeting");
    }
    byte version = body.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "it speaks version " + version + ", this program speaks " + VERSION);
    }
    return new Hello(text(body), text(body));
  }

  static Frame ping() {
    return of(PING, new byte[0]);
  }

  static Frame ref(String path) {
    return of(REF, bytes(path));
  }

  static String ref(ByteBuffer body) {
    return StandardCharsets.UTF_8.decode(body).toString();
  }

  private static Frame of(byte kind, byte[] body) {
    ByteBuffer frame = ByteBuffer.allocate(LENGTH_BYTES + 1 + body.length);
    frame.putInt(1 + body.length).put(kind).put(body).flip();
    return new Frame(frame, NOTHING);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException("a text of " + length + " bytes in a greeting");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
