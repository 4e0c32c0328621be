package io.tidemark.serialization;

import akka.actor.typed.ActorSystem;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Turns keys or values into bytes. One instance serves all threads. It is never asked to serialize
 * null: a key or value of null stays one.
 *
 * @param <T> what a producer's records hold
 */
@FunctionalInterface
public interface Serializer<T> {

  /**
   * @param data never null
   * @return from its position to its limit; not to be changed afterwards. Never null
   * @throws Exception when it cannot be done; the record then fails, as it does for null, with a
   *     {@link SerializationFailure} that tells the cause
   */
  ByteBuffer serialize(String topic, T data) throws Exception;

  static Serializer<byte[]> bytes() {
    return (topic, data) -> ByteBuffer.wrap(data);
  }

  /** As they are: from the buffer's position to its limit. */
  static Serializer<ByteBuffer> byteBuffer() {
    return (topic, data) -> data;
  }

  /** UTF-8. Fails for a lone surrogate, which has no bytes there. */
  static Serializer<String> string() {
    return (topic, data) -> StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(data));
  }

  /** JSON by Jackson, with the times of {@code java.time} as ISO 8601 texts. */
  static <T> Serializer<T> json(Class<T> type) {
    return json(type, Json.MAPPER);
  }

  static <T> Serializer<T> json(Class<T> type, ObjectMapper mapper) {
    ObjectWriter writer = mapper.writerFor(type);
    return (topic, data) -> ByteBuffer.wrap(writer.writeValueAsBytes(data));
  }

  /**
   * What the actor system's {@code akka.actor.serialization-bindings} say, behind the serializer's
   * id and manifest: see {@link Deserializer#akka}.
   */
  static <T> Serializer<T> akka(ActorSystem<?> system) {
    AkkaBytes bytes = new AkkaBytes(system);
    return (topic, data) -> bytes.of(data);
  }
}
