package io.tidemark.journal;

import akka.actor.ActorRef;
import akka.actor.ExtendedActorSystem;
import akka.persistence.AtomicWrite;
import akka.persistence.PersistentImpl;
import akka.persistence.PersistentRepr;
import akka.persistence.journal.Tagged;
import akka.serialization.ByteBufferSerializer;
import akka.serialization.Serialization;
import akka.serialization.Serialization$;
import akka.serialization.SerializationExtension;
import akka.serialization.Serializer;
import akka.serialization.Serializers;
import io.tidemark.log.PayloadChecksum;
import io.tidemark.record.Checksums;
import java.io.NotSerializableException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Events to entries and back, with Akka's serializers. Tags are dropped, their event is kept. */
final class EventCodec {
  private final ExtendedActorSystem system;
  private final Serialization serialization;
  private final WriteBuffers buffers;

  /**
   * Bytes that the next write may need, the largest of late: one that does not fit is encoded
   * again.
   */
  private volatile int expectedBytes;

  EventCodec(ExtendedActorSystem system, WriteBuffers buffers) {
    this.system = system;
    this.serialization = SerializationExtension.get(system);
    this.buffers = buffers;
  }

  /**
   * Encodes an atomic write; any exception means that its events cannot be stored.
   *
   * @param adapter the application's event adapters
   */
  AtomicEntries encode(AtomicWrite write, UnaryOperator<PersistentRepr> adapter) throws Exception {
    List<PersistentRepr> events = CollectionConverters.asJava(write.payload());
    EntryEncoder encoder = new EntryEncoder(buffers, expectedBytes);
    boolean encoded = false;
    try {
      for (int i = 0; i < events.size(); i++) {
        add(encoder, adapter.apply(events.get(i)), i + 1 < events.size());
      }
      encoded = true;
    } finally {
      if (!encoded) {
        encoder.abandon();
      }
    }
    ByteBuffer bytes = encoder.finish();
    expectedBytes = Math.max(bytes.remaining(), expectedBytes - expectedBytes / 8);
    return new AtomicEntries(
        write.persistenceId(), write.lowestSequenceNr(), write.highestSequenceNr(), bytes);
  }

  private void add(EntryEncoder encoder, PersistentRepr repr, boolean continues) throws Exception {
    if (repr.metadata().isDefined()) {
      throw new NotSerializableException(
          "Event metadata (replicated event sourcing) is not stored by this journal");
    }
    Object event = repr.payload() instanceof Tagged tagged ? tagged.payload() : repr.payload();
    Serializer serializer = serialization.serializerFor(event.getClass());
    long timestamp = repr.timestamp() == 0 ? System.currentTimeMillis() : repr.timestamp();
    EntryEncoder.PayloadWriter payload;
    if (serializer instanceof ByteBufferSerializer direct) {
      payload = new Direct(direct, event);
    } else {
      byte[] bytes = serialization.serialize(event).get();
      payload = into -> into.put(bytes);
    }
    encoder.add(
        repr.sequenceNr(),
        timestamp,
        serializer.identifier(),
        Serializers.manifestFor(serializer, event),
        repr.manifest(),
        repr.writerUuid(),
        continues,
        payload);
  }

  /** Lets the serializer write into the entry, and tell the checksum if it can. */
  private final class Direct implements EntryEncoder.PayloadWriter {
    private final ByteBufferSerializer serializer;
    private final Object event;

    Direct(ByteBufferSerializer serializer, Object event) {
      this.serializer = serializer;
      this.event = event;
    }

    @Override
    public void write(ByteBuffer into) {
      Serialization$.MODULE$.withTransportInformation(
          system,
          () -> {
            serializer.toBinary(event, into);
            return null;
          });
    }

    @Override
    public int checksum(ByteBuffer written, int from, int to) {
      return serializer instanceof PayloadChecksum knowing
          ? knowing.checksum(event, written, from, to)
          : Checksums.of(written, from, to);
    }
  }

  PersistentRepr decode(String persistenceId, StoredEntry entry) throws NotSerializableException {
    return new PersistentImpl(
        event(entry),
        entry.sequenceNr(),
        persistenceId,
        entry.eventManifest(),
        false,
        ActorRef.noSender(),
        entry.writerUuid(),
        entry.timestamp(),
        Option.empty());
  }

  Object event(StoredEntry entry) throws NotSerializableException {
    return serialization.deserializeByteBuffer(
        entry.payload(), entry.serializerId(), entry.manifest());
  }
}
