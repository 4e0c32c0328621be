package io.tidemark.serialization;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A record's key or value, on its way through a serializer: null stays null, and whatever the
 * serializer throws becomes a {@link SerializationFailure} that tells where.
 */
public enum RecordPart {
  KEY,
  VALUE;

  /**
   * @param partition −1 when none was chosen
   * @throws SerializationFailure as its cause, what the serializer threw
   */
  public <T> ByteBuffer serialize(Serializer<? super T> with, String topic, int partition, T data) {
    if (data == null) {
      return null;
    }
    try {
      return Objects.requireNonNull(
          with.serialize(topic, data), "the serializer has returned null for it");
    } catch (Exception e) {
      throw new SerializationFailure(this, topic, partition, -1, e);
    }
  }

  /**
   * @param data its position stays where it is
   * @throws SerializationFailure as its cause, what the deserializer threw
   */
  public <T> T deserialize(
      Deserializer<? extends T> with, String topic, int partition, long offset, ByteBuffer data) {
    if (data == null) {
      return null;
    }
    try {
      return with.deserialize(topic, data.duplicate());
    } catch (Exception e) {
      throw new SerializationFailure(this, topic, partition, offset, e);
    }
  }
}
