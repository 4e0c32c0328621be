package io.tidemark.serialization;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import com.fasterxml.jackson.core.JsonParseException;
import io.tidemark.wire.ControlMessage;
import io.tidemark.wire.ReplicaMessage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class SerializersTest {
  private static final ActorTestKit KIT = ActorTestKit.create();

  record Order(String customer, Instant at, Optional<String> note) {}

  /** Bound to Jackson by this module's own configuration. */
  record Wish(String text) implements ControlMessage {}

  @AfterAll
  static void endActors() {
    KIT.shutdownTestKit();
  }

  private static <T> T through(Serializer<T> there, Deserializer<T> back, T data) {
    ByteBuffer bytes = RecordPart.VALUE.serialize(there, "orders", -1, data);
    return RecordPart.VALUE.deserialize(back, "orders", 0, 0, bytes);
  }

  private static <T> SerializationFailure failureOf(Deserializer<T> deserializer, String bytes) {
    return assertThrows(
        SerializationFailure.class,
        () -> RecordPart.KEY.deserialize(deserializer, "orders", 3, 17, UTF_8.encode(bytes)));
  }

  @Test
  void bytes_buffers_and_texts_come_back_as_they_were() {
    byte[] bytes = {0, -1, 7};
    ByteBuffer middle = ByteBuffer.wrap(bytes).position(1).limit(2);

    assertArrayEquals(bytes, through(Serializer.bytes(), Deserializer.bytes(), bytes));
    assertEquals(middle, through(Serializer.byteBuffer(), Deserializer.byteBuffer(), middle));
    assertEquals("tea ☕", through(Serializer.string(), Deserializer.string(), "tea ☕"));
    assertEquals("", through(Serializer.string(), Deserializer.string(), ""));
  }

  @Test
  void a_deserializer_of_bytes_reads_from_position_to_limit_and_leaves_the_record_s_buffer_alone() {
    ByteBuffer middle = UTF_8.encode("..abc..").position(2).limit(5);

    assertEquals("abc", RecordPart.KEY.deserialize(Deserializer.string(), "orders", 0, 0, middle));
    assertArrayEquals(
        new byte[] {'a', 'b', 'c'},
        RecordPart.KEY.deserialize(Deserializer.bytes(), "orders", 0, 0, middle));
    assertEquals(3, middle.remaining());
  }

  @Test
  void json_holds_records_with_times_and_optional_values() {
    Order order = new Order("c-7", Instant.parse("2024-05-06T07:08:09Z"), Optional.of("hot"));

    ByteBuffer json = RecordPart.VALUE.serialize(Serializer.json(Order.class), "orders", -1, order);

    assertEquals(
        "{\"customer\":\"c-7\",\"at\":\"2024-05-06T07:08:09Z\",\"note\":\"hot\"}",
        UTF_8.decode(json.duplicate()).toString());
    assertEquals(
        order, RecordPart.VALUE.deserialize(Deserializer.json(Order.class), "orders", 0, 0, json));
  }

  @Test
  void json_with_a_property_that_the_class_lacks_is_read() throws Exception {
    ByteBuffer newer = UTF_8.encode("{\"customer\":\"c-7\",\"colour\":\"red\"}");

    assertEquals("c-7", Deserializer.json(Order.class).deserialize("orders", newer).customer());
  }

  @Test
  void an_object_goes_through_akka_s_serialization_as_the_system_is_configured() {
    Wish wish = new Wish("tea");

    assertEquals(
        wish,
        through(Serializer.akka(KIT.system()), Deserializer.akka(KIT.system(), Wish.class), wish));
  }

  @Test
  void an_object_of_another_class_and_bytes_that_are_none_of_akka_s_are_failures() {
    ByteBuffer wish =
        RecordPart.VALUE.serialize(Serializer.akka(KIT.system()), "orders", -1, new Wish("tea"));
    Deserializer<ReplicaMessage> other = Deserializer.akka(KIT.system(), ReplicaMessage.class);

    SerializationFailure failure =
        assertThrows(
            SerializationFailure.class,
            () -> RecordPart.VALUE.deserialize(other, "orders", 0, 0, wish));
    assertInstanceOf(ClassCastException.class, failure.getCause());
    assertInstanceOf(IllegalArgumentException.class, failureOf(other, "short").getCause());
    assertInstanceOf(IllegalArgumentException.class, failureOf(other, "much too long").getCause());
  }

  @Test
  void null_stays_null_and_no_serializer_sees_it() {
    assertNull(through(Serializer.string(), Deserializer.string(), null));
  }

  @Test
  void what_cannot_be_read_tells_topic_partition_offset_and_cause() {
    SerializationFailure failure = failureOf(Deserializer.json(Order.class), "no json");

    assertEquals(RecordPart.KEY, failure.part());
    assertEquals("orders", failure.topic());
    assertEquals(3, failure.partition());
    assertEquals(17, failure.offset());
    assertInstanceOf(JsonParseException.class, failure.getCause());
    assertTrue(
        failure.getMessage().startsWith("the key of a record of orders-3 at offset 17 cannot be"),
        failure.getMessage());
  }

  @Test
  void what_cannot_be_written_tells_the_topic() {
    SerializationFailure failure =
        assertThrows(
            SerializationFailure.class,
            () -> RecordPart.VALUE.serialize(Serializer.string(), "orders", -1, "\ud800"));

    assertInstanceOf(CharacterCodingException.class, failure.getCause());
    assertEquals(-1, failure.offset());
    assertTrue(
        failure.getMessage().startsWith("the value of a record for topic orders cannot be seri"),
        failure.getMessage());
  }

  @Test
  void bytes_that_are_no_utf_8_are_a_failure_and_not_replaced() {
    ByteBuffer bad = ByteBuffer.wrap(new byte[] {(byte) 0xc3, 0x28});

    assertThrows(
        SerializationFailure.class,
        () -> RecordPart.VALUE.deserialize(Deserializer.string(), "orders", 0, 0, bad));
  }

  @Test
  void a_serializer_that_returns_null_fails_the_record_and_deletes_nothing() {
    SerializationFailure failure =
        assertThrows(
            SerializationFailure.class,
            () -> RecordPart.VALUE.serialize((topic, data) -> null, "orders", -1, "tea"));

    assertTrue(failure.getMessage().contains("returned null"), failure.getMessage());
    assertNull(RecordPart.VALUE.serialize(Serializer.string(), "orders", -1, null));
  }
}
