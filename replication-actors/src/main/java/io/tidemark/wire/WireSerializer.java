package io.tidemark.wire;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Adapter;
import akka.serialization.ByteBufferSerializer;
import akka.serialization.SerializerWithStringManifest;
import io.tidemark.wire.ReplicaMessage.Data;
import io.tidemark.wire.ReplicaMessage.EpochEnd;
import io.tidemark.wire.ReplicaMessage.EpochEndReply;
import io.tidemark.wire.ReplicaMessage.Fetch;
import io.tidemark.wire.ReplicaMessage.FetchReply;
import io.tidemark.wire.ReplicaMessage.FetchSnapshot;
import io.tidemark.wire.ReplicaMessage.FetchSnapshotReply;
import io.tidemark.wire.ReplicaMessage.ListOffsets;
import io.tidemark.wire.ReplicaMessage.ListOffsetsReply;
import io.tidemark.wire.ReplicaMessage.Produce;
import io.tidemark.wire.ReplicaMessage.ProduceReply;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes the data path's messages straight into the transport's buffer: a version byte, the request
 * id, the asker's ref in a request, then the fields.
 */
public final class WireSerializer extends SerializerWithStringManifest
    implements ByteBufferSerializer {
  private static final int IDENTIFIER = 7_216_002;
  private static final byte VERSION = 1;

  /** What a message takes beside its records: fields, the asker's ref, the transport's envelope. */
  public static final int OVERHEAD_BYTES = 4_096;

  private final ActorRefResolver refs;

  public WireSerializer(ExtendedActorSystem system) {
    this.refs = ActorRefResolver.get(Adapter.toTyped(system));
  }

  @Override
  public int identifier() {
    return IDENTIFIER;
  }

  @Override
  public String manifest(Object o) {
    if (o instanceof Fetch) {
      return "F";
    } else if (o instanceof FetchReply) {
      return "f";
    } else if (o instanceof Produce) {
      return "P";
    } else if (o instanceof ProduceReply) {
      return "p";
    } else if (o instanceof EpochEnd) {
      return "E";
    } else if (o instanceof EpochEndReply) {
      return "e";
    } else if (o instanceof ListOffsets) {
      return "L";
    } else if (o instanceof ListOffsetsReply) {
      return "l";
    } else if (o instanceof FetchSnapshot) {
      return "S";
    } else if (o instanceof FetchSnapshotReply) {
      return "s";
    }
    throw new IllegalArgumentException("not a message of the data path: " + o.getClass());
  }

  /** The transport's buffers are little-endian, and are given back as they came. */
  @Override
  public void toBinary(Object o, ByteBuffer out) {
    ByteOrder order = out.order();
    out.order(ByteOrder.BIG_ENDIAN);
    write(o, out);
    out.order(order);
  }

  private void write(Object o, ByteBuffer out) {
    out.put(VERSION);
    if (o instanceof Fetch m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo()), m.request());
    } else if (o instanceof FetchReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (o instanceof Produce m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo()), m.request());
    } else if (o instanceof ProduceReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (o instanceof EpochEnd m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo()), m.request());
    } else if (o instanceof EpochEndReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (o instanceof ListOffsets m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo()), m.request());
    } else if (o instanceof ListOffsetsReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (o instanceof FetchSnapshot m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo()), m.request());
    } else if (o instanceof FetchSnapshotReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    }
  }

  private ByteBuffer asked(ByteBuffer out, long requestId, ActorRef<?> replyTo) {
    WireFormat.put(out.putLong(requestId), refs.toSerializationFormat(replyTo));
    return out;
  }

  @Override
  public byte[] toBinary(Object o) {
    ByteBuffer buffer = ByteBuffer.allocate(OVERHEAD_BYTES + recordBytes((Data) o));
    toBinary(o, buffer);
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }

  private static int recordBytes(Data message) {
    if (message instanceof FetchReply reply) {
      return reply.response().records().remaining();
    } else if (message instanceof Produce produce) {
      return produce.request().batches().remaining();
    } else if (message instanceof FetchSnapshotReply reply) {
      return reply.response().bytes().remaining();
    }
    return 0;
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
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "message of version " + version + ", this program reads " + VERSION);
    }
    long id = in.getLong();
    return switch (manifest) {
      case "F" -> {
        ActorRef<FetchReply> replyTo = asker(in);
        yield new Fetch(id, WireFormat.fetchRequest(in), replyTo);
      }
      case "f" -> new FetchReply(id, WireFormat.fetchResponse(in));
      case "P" -> {
        ActorRef<ProduceReply> replyTo = asker(in);
        yield new Produce(id, WireFormat.produceRequest(in), replyTo);
      }
      case "p" -> new ProduceReply(id, WireFormat.produceResponse(in));
      case "E" -> {
        ActorRef<EpochEndReply> replyTo = asker(in);
        yield new EpochEnd(id, WireFormat.epochEndRequest(in), replyTo);
      }
      case "e" -> new EpochEndReply(id, WireFormat.epochEndResponse(in));
      case "L" -> {
        ActorRef<ListOffsetsReply> replyTo = asker(in);
        yield new ListOffsets(id, WireFormat.listOffsetsRequest(in), replyTo);
      }
      case "l" -> new ListOffsetsReply(id, WireFormat.listOffsetsResponse(in));
      case "S" -> {
        ActorRef<FetchSnapshotReply> replyTo = asker(in);
        yield new FetchSnapshot(id, WireFormat.fetchSnapshotRequest(in), replyTo);
      }
      case "s" -> new FetchSnapshotReply(id, WireFormat.fetchSnapshotResponse(in));
      default -> throw new IllegalArgumentException("unknown manifest " + manifest);
    };
  }

  private <T> ActorRef<T> asker(ByteBuffer in) {
    return refs.resolveActorRef(WireFormat.text(in));
  }
}
