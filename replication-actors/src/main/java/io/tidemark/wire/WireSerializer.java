package io.tidemark.wire;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Adapter;
import akka.serialization.ByteBufferSerializer;
import akka.serialization.SerializerWithStringManifest;
import io.tidemark.wire.ReplicaMessage.Data;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes the data path's messages straight into the actor system's transport's buffer. */
public final class WireSerializer extends SerializerWithStringManifest
    implements ByteBufferSerializer {
  private static final int IDENTIFIER = 7_216_002;

  /** What a message takes beside its records: fields, the asker's ref, the transport's envelope. */
  public static final int OVERHEAD_BYTES = 4_096;

  /** The refs are written out. */
  private static final class RefTexts implements WireMessages.Refs {
    private final ActorRefResolver resolver;

    RefTexts(ActorRefResolver resolver) {
      this.resolver = resolver;
    }

    @Override
    public void put(ByteBuffer out, ActorRef<?> ref) {
      WireFormat.put(out, resolver.toSerializationFormat(ref));
    }

    @Override
    public <T> ActorRef<T> get(ByteBuffer in) {
      return resolver.resolveActorRef(WireFormat.text(in));
    }
  }

  private final WireMessages.Refs refs;

  public WireSerializer(ExtendedActorSystem system) {
    this.refs = new RefTexts(ActorRefResolver.get(Adapter.toTyped(system)));
  }

  @Override
  public int identifier() {
    return IDENTIFIER;
  }

  @Override
  public String manifest(Object o) {
    if (o instanceof Data data) {
      return String.valueOf((char) WireMessages.kindOf(data));
    }
    throw new IllegalArgumentException("not a message of the data path: " + o.getClass());
  }

  /** The transport's buffers are little-endian, and are given back as they came. */
  @Override
  public void toBinary(Object o, ByteBuffer out) {
    ByteOrder order = out.order();
    out.order(ByteOrder.BIG_ENDIAN);
    WireMessages.writeHead((Data) o, out, refs);
    out.put(WireMessages.tailOf((Data) o));
    out.order(order);
  }

  @Override
  public byte[] toBinary(Object o) {
    int tail = WireMessages.tailOf((Data) o).remaining();
    ByteBuffer buffer = ByteBuffer.allocate(OVERHEAD_BYTES + tail);
    toBinary(o, buffer);
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }

  /** The transport reuses its buffer, so the message gets bytes of its own. */
  @Override
  public Object fromBinary(ByteBuffer in, String manifest) {
    byte[] own = new byte[in.remaining()];
    in.get(own);
    return fromBinary(own, manifest);
  }

  @Override
  public Object fromBinary(byte[] bytes, String manifest) {
    if (manifest.length() != 1) {
      throw new IllegalArgumentException("unknown manifest " + manifest);
    }
    return WireMessages.read((byte) manifest.charAt(0), ByteBuffer.wrap(bytes), refs);
  }
}
