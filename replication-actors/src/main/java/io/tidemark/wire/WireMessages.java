package io.tidemark.wire;

import akka.actor.typed.ActorRef;
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

/**
 * The data path's messages as bytes: a version, the request id, the asker's ref in a request, then
 * the fields. A message is its head, written here, and its tail: records, taken over as they are.
 */
public final class WireMessages {
  private static final byte VERSION = 1;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** How a transport writes refs. */
  public interface Refs {
    void put(ByteBuffer out, ActorRef<?> ref);

    /**
     * @throws IllegalArgumentException when the bytes do not name a ref
     */
    <T> ActorRef<T> get(ByteBuffer in);
  }

  private WireMessages() {}

  /** One byte that tells the type: a letter. */
  public static byte kindOf(Data message) {
    if (message instanceof Fetch) {
      return 'F';
    } else if (message instanceof FetchReply) {
      return 'f';
    } else if (message instanceof Produce) {
      return 'P';
    } else if (message instanceof ProduceReply) {
      return 'p';
    } else if (message instanceof EpochEnd) {
      return 'E';
    } else if (message instanceof EpochEndReply) {
      return 'e';
    } else if (message instanceof ListOffsets) {
      return 'L';
    } else if (message instanceof ListOffsetsReply) {
      return 'l';
    } else if (message instanceof FetchSnapshot) {
      return 'S';
    } else {
      return 's';
    }
  }

  public static void writeHead(Data message, ByteBuffer out, Refs refs) {
    out.put(VERSION);
    if (message instanceof Fetch m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo(), refs), m.request());
    } else if (message instanceof FetchReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (message instanceof Produce m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo(), refs), m.request());
    } else if (message instanceof ProduceReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (message instanceof EpochEnd m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo(), refs), m.request());
    } else if (message instanceof EpochEndReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (message instanceof ListOffsets m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo(), refs), m.request());
    } else if (message instanceof ListOffsetsReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    } else if (message instanceof FetchSnapshot m) {
      WireFormat.put(asked(out, m.requestId(), m.replyTo(), refs), m.request());
    } else if (message instanceof FetchSnapshotReply m) {
      WireFormat.put(out.putLong(m.requestId()), m.response());
    }
  }

  /** What follows the head; shares the message's bytes. */
  public static ByteBuffer tailOf(Data message) {
    if (message instanceof FetchReply reply) {
      return reply.response().records().duplicate();
    } else if (message instanceof Produce produce) {
      return produce.request().batches().duplicate();
    } else if (message instanceof FetchSnapshotReply reply) {
      return reply.response().bytes().duplicate();
    }
    return NOTHING;
  }

  private static ByteBuffer asked(ByteBuffer out, long requestId, ActorRef<?> replyTo, Refs refs) {
    refs.put(out.putLong(requestId), replyTo);
    return out;
  }

  /**
   * The message, which shares the bytes that it is read from.
   *
   * @throws RuntimeException when the bytes are no such message
   */
  public static Data read(byte kind, ByteBuffer in, Refs refs) {
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "message of version " + version + ", this program reads " + VERSION);
    }
    long id = in.getLong();
    switch (kind) {
      case 'F' -> {
        ActorRef<FetchReply> replyTo = refs.get(in);
        return new Fetch(id, WireFormat.fetchRequest(in), replyTo);
      }
      case 'f' -> {
        return new FetchReply(id, WireFormat.fetchResponse(in));
      }
      case 'P' -> {
        ActorRef<ProduceReply> replyTo = refs.get(in);
        return new Produce(id, WireFormat.produceRequest(in), replyTo);
      }
      case 'p' -> {
        return new ProduceReply(id, WireFormat.produceResponse(in));
      }
      case 'E' -> {
        ActorRef<EpochEndReply> replyTo = refs.get(in);
        return new EpochEnd(id, WireFormat.epochEndRequest(in), replyTo);
      }
      case 'e' -> {
        return new EpochEndReply(id, WireFormat.epochEndResponse(in));
      }
      case 'L' -> {
        ActorRef<ListOffsetsReply> replyTo = refs.get(in);
        return new ListOffsets(id, WireFormat.listOffsetsRequest(in), replyTo);
      }
      case 'l' -> {
        return new ListOffsetsReply(id, WireFormat.listOffsetsResponse(in));
      }
      case 'S' -> {
        ActorRef<FetchSnapshotReply> replyTo = refs.get(in);
        return new FetchSnapshot(id, WireFormat.fetchSnapshotRequest(in), replyTo);
      }
      case 's' -> {
        return new FetchSnapshotReply(id, WireFormat.fetchSnapshotResponse(in));
      }
      default -> throw new IllegalArgumentException("unknown kind of message: " + kind);
    }
  }
}
