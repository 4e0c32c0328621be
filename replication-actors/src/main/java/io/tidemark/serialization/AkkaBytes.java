package io.tidemark.serialization;

import akka.actor.typed.ActorSystem;
import akka.serialization.Serialization;
import akka.serialization.SerializationExtension;
import akka.serialization.Serializer;
import akka.serialization.Serializers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Objects as Akka's serialization writes them: the serializer's id and the length of the manifest
 * (32 bits each, big-endian), the manifest in UTF-8, then the serializer's bytes.
 */
final class AkkaBytes {
  private final Serialization serialization;

  AkkaBytes(ActorSystem<?> system) {
    this.serialization = SerializationExtension.get(system.classicSystem());
  }

  ByteBuffer of(Object data) {
    Serializer serializer = serialization.findSerializerFor(data);
    byte[] manifest = Serializers.manifestFor(serializer, data).getBytes(StandardCharsets.UTF_8);
    byte[] bytes = serialization.serialize(data).get();
    return ByteBuffer.allocate(2 * Integer.BYTES + manifest.length + bytes.length)
        .putInt(serializer.identifier())
        .putInt(manifest.length)
        .put(manifest)
        .put(bytes)
        .flip();
  }

  Object read(ByteBuffer data) {
    if (data.remaining() < 2 * Integer.BYTES) {
      throw new IllegalArgumentException(
          "%d bytes are too few for a serializer's id and a manifest".formatted(data.remaining()));
    }
    int id = data.getInt();
    int manifestBytes = data.getInt();
    if (manifestBytes < 0 || manifestBytes > data.remaining()) {
      throw new IllegalArgumentException(
          "a manifest of %d bytes does not fit into the %d that are left"
              .formatted(manifestBytes, data.remaining()));
    }
    byte[] manifest = new byte[manifestBytes];
    data.get(manifest);
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    return serialization.deserialize(bytes, id, new String(manifest, StandardCharsets.UTF_8)).get();
  }
}
