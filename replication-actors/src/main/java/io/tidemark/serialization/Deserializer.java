package io.tidemark.serialization;

import akka.actor.typed.ActorSystem;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.util.ByteBufferBackedInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Turns the bytes of keys or values back. One instance serves all threads. It never sees a key or
 * value of null, which stays one.
 *
 * @param <T> what a consumer's records hold
 */
@FunctionalInterface
public interface Deserializer<T> {

  /**
   * @param data from its position to its limit; the content is not to be changed
   * @throws Exception when these are no bytes of a T; the stream then fails with a {@link
   *     SerializationFailure} that tells record and cause
   */
  T deserialize(String topic, ByteBuffer data) throws Exception;

  static Deserializer<byte[]> bytes() {
    return (topic, data) -> {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      return bytes;
    };
  }

  /** As they are, without a copy. */
  static Deserializer<ByteBuffer> byteBuffer() {
    return (topic, data) -> data;
  }

  /** UTF-8. Fails for bytes that are none. */
  static Deserializer<String> string() {
    return (topic, data) -> StandardCharsets.UTF_8.newDecoder().decode(data).toString();
  }

  /** JSON by Jackson. Properties that the class does not have are passed over. */
  static <T> Deserializer<T> json(Class<T> type) {
    return json(type, Json.MAPPER);
  }

  static <T> Deserializer<T> json(Class<T> type, ObjectMapper mapper) {
    ObjectReader reader = mapper.readerFor(type);
    return (topic, data) -> reader.readValue(new ByteBufferBackedInputStream(data));
  }

  /**
   * What {@link Serializer#akka} wrote. Fails for an object of another class.
   *
   * @param type the class, or a common superclass, of all that is read
   */
  static <T> Deserializer<T> akka(ActorSystem<?> system, Class<T> type) {
    AkkaBytes bytes = new AkkaBytes(system);
    return (topic, data) -> type.cast(bytes.read(data));
  }
}
