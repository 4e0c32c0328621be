package io.tidemark.log;

import akka.actor.ExtendedActorSystem;
import akka.serialization.ByteBufferSerializer;
import akka.serialization.SerializerWithStringManifest;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.Checksums;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Akka's door to the codecs of log events and log snapshots. */
public final class LogSerializer extends SerializerWithStringManifest
    implements ByteBufferSerializer, PayloadChecksum {
  /** Akka's name for this serializer in everything that it wrote. */
  public static final int IDENTIFIER = 7_216_001;

  private static final String EVENT = "E";
  private static final String STATE = "S";

  public LogSerializer(ExtendedActorSystem system) {}

  @Override
  public int identifier() {
    return IDENTIFIER;
  }

  @Override
  public String manifest(Object o) {
    if (o instanceof LogEvent) {
      return EVENT;
    } else if (o instanceof LogState) {
      return STATE;
    }
    throw new IllegalArgumentException("not a log event or log state: " + o.getClass());
  }

  /** Whoever lends the buffer may use another byte order, and gets it back as it was. */
  @Override
  public void toBinary(Object o, ByteBuffer buf) {
    ByteOrder order = buf.order();
    buf.order(ByteOrder.BIG_ENDIAN);
    if (o instanceof LogEvent event) {
      LogEventCodec.encode(event, buf);
    } else {
      LogStateCodec.encode((LogState) o, buf);
    }
    buf.order(order);
  }

  @Override
  public int checksum(Object event, ByteBuffer bytes, int from, int to) {
    return event instanceof BatchesAppended appended
        ? LogEventCodec.checksum(appended, bytes, from, to)
        : Checksums.of(bytes, from, to);
  }

  @Override
  public byte[] toBinary(Object o) {
    int size =
        o instanceof LogEvent event
            ? LogEventCodec.sizeOf(event)
            : LogStateCodec.sizeOf((LogState) o);
    ByteBuffer buffer = ByteBuffer.allocate(size);
    toBinary(o, buffer);
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }

  /** The journal hands out a buffer of its own for each event, so batches may share it. */
  @Override
  public Object fromBinary(ByteBuffer buf, String manifest) {
    byte[] own = new byte[buf.remaining()];
    buf.get(own);
    return fromBinary(own, manifest);
  }

  @Override
  public Object fromBinary(byte[] bytes, String manifest) {
    return read(ByteBuffer.wrap(bytes), manifest);
  }

  /**
   * A {@link LogEvent} or a {@link LogState}, without an actor system.
   *
   * @param in read from its position to its limit; batches in the event share its bytes
   * @throws IllegalArgumentException when it is of a newer version or neither of the two
   */
  public static Object read(ByteBuffer in, String manifest) {
    return switch (manifest) {
      case EVENT -> LogEventCodec.decode(in);
      case STATE -> LogStateCodec.decode(in);
      default -> throw new IllegalArgumentException("unknown manifest " + manifest);
    };
  }
}
