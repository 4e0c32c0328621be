package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.ExtendedActorSystem;
import akka.persistence.AtomicWrite;
import akka.persistence.PersistentImpl;
import akka.persistence.PersistentRepr;
import akka.persistence.journal.Tagged;
import akka.testkit.javadsl.TestKit;
import com.typesafe.config.ConfigFactory;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

class EventCodecTest {
  @TempDir Path directory;
  private ActorSystem system;
  private EventCodec codec;
  private LogFixture fixture;

  @BeforeEach
  void start() throws Exception {
    system =
        ActorSystem.create("codec", ConfigFactory.load(TestConfig.withJournal("os", directory)));
    codec = new EventCodec((ExtendedActorSystem) system, new WriteBuffers(1 << 20));
    fixture = new LogFixture(directory);
  }

  @AfterEach
  void stop() {
    TestKit.shutdownActorSystem(system);
  }

  private static PersistentRepr repr(long sequenceNr, Object event) {
    return new PersistentImpl(
        event,
        sequenceNr,
        "a",
        "adapted",
        false,
        ActorRef.noSender(),
        "writer-1",
        1234,
        Option.empty());
  }

  private static AtomicWrite write(PersistentRepr... events) {
    return new AtomicWrite(CollectionConverters.asScala(List.of(events)).toSeq());
  }

  private PersistentRepr storedAndRead(PersistentRepr event) throws Exception {
    fixture.log("a").append(codec.encode(write(event), UnaryOperator.identity()), true);
    fixture.log("a").acknowledge(event.sequenceNr());
    PersistentRepr[] read = new PersistentRepr[1];
    fixture
        .log("a")
        .read(
            event.sequenceNr(),
            cursor -> {
              read[0] = codec.decode("a", cursor.entry());
              return false;
            });
    return read[0];
  }

  @Test
  void an_event_comes_back_with_all_that_belongs_to_it() throws Exception {
    PersistentRepr read = storedAndRead(repr(1, "größe"));

    assertEquals("größe", read.payload());
    assertEquals(1, read.sequenceNr());
    assertEquals("a", read.persistenceId());
    assertEquals("adapted", read.manifest());
    assertEquals("writer-1", read.writerUuid());
    assertEquals(1234, read.timestamp());
  }

  @Test
  void a_large_event_grows_the_write_buffer() throws Exception {
    byte[] large = new byte[300_001];
    new Random(1).nextBytes(large);

    assertArrayEquals(large, (byte[]) storedAndRead(repr(1, large)).payload());
    assertArrayEquals(new byte[0], (byte[]) storedAndRead(repr(2, new byte[0])).payload());
  }

  @Test
  void a_serializer_that_knows_the_checksum_is_asked_for_it() throws Exception {
    byte[] value = new byte[40_000];
    new Random(1).nextBytes(value);
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, value.length);
    builder.append(0, null, ByteBuffer.wrap(value), List.of());
    ByteBuffer batch = builder.build(0, 1);
    batch.put(20_000, (byte) ~batch.get(20_000));
    BatchesAppended event = new BatchesAppended(batch, 0);

    ByteBuffer entry = codec.encode(write(repr(1, event)), UnaryOperator.identity()).bytes();
    EntryFormat.seal(entry, 0, 0, 0);

    int ofBytes = EntryFormat.crc(entry, 0, entry.remaining(), 0);
    assertNotEquals(ofBytes, entry.getInt(EntryFormat.CRC), "the damage was summed anew");
  }

  @Test
  void tags_are_dropped_and_their_event_is_kept() throws Exception {
    assertEquals("event", storedAndRead(repr(1, new Tagged("event", Set.of("tag")))).payload());
  }

  @Test
  void a_string_that_is_too_long_for_its_field_is_rejected() {
    PersistentRepr event = repr(1, "event").withManifest("m".repeat(70_000));

    assertThrows(
        IllegalArgumentException.class, () -> codec.encode(write(event), UnaryOperator.identity()));
  }
}
