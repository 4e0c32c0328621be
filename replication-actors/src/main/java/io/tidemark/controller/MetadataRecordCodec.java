package io.tidemark.controller;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.PartitionState;
import java.io.IOException;
import java.util.Arrays;

/**
 * The bytes of a {@link MetadataRecord} in the metadata log: a version byte, then CBOR. The names
 * of the kinds are written down here, so that a class may be renamed and old logs stay readable.
 */
public final class MetadataRecordCodec {
  static final byte VERSION = 1;

  private static final CBORMapper MAPPER =
      CBORMapper.builder()
          .addMixIn(MetadataRecord.class, Kinds.class)
          .addMixIn(PartitionState.class, ByPosition.class)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();
  private static final ObjectReader READER = MAPPER.readerFor(MetadataRecord.class);
  private static final ObjectWriter WRITER = MAPPER.writerFor(MetadataRecord.class);

  private MetadataRecordCodec() {}

  public static byte[] encode(MetadataRecord record) {
    try {
      byte[] body = WRITER.writeValueAsBytes(record);
      byte[] bytes = new byte[1 + body.length];
      bytes[0] = VERSION;
      System.arraycopy(body, 0, bytes, 1, body.length);
      return bytes;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot write " + record, e);
    }
  }

  /**
   * @throws IllegalArgumentException when it is of a newer version or not a metadata record at all
   */
  public static MetadataRecord decode(byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException("an empty metadata record");
    }
    if (bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "a metadata record of version %d; this release reads version %d: run a newer release"
              .formatted(bytes[0], VERSION));
    }
    try {
      return READER.readValue(bytes, 1, bytes.length - 1);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "not a metadata record: "
              + Arrays.toString(Arrays.copyOf(bytes, Math.min(16, bytes.length))),
          e);
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes({
    @Type(value = MetadataRecord.LeaderStarted.class, name = "leader-started"),
    @Type(value = MetadataRecord.BrokerRegistered.class, name = "broker-registered"),
    @Type(value = MetadataRecord.BrokerFenced.class, name = "broker-fenced"),
    @Type(value = MetadataRecord.BrokerUnfenced.class, name = "broker-unfenced"),
    @Type(value = MetadataRecord.BrokerShuttingDown.class, name = "broker-shutting-down"),
    @Type(value = MetadataRecord.BrokerSnapshot.class, name = "broker-snapshot"),
    @Type(value = MetadataRecord.ClusterNamed.class, name = "cluster-named"),
    @Type(value = MetadataRecord.TopicCreated.class, name = "topic-created"),
    @Type(value = MetadataRecord.PartitionChanged.class, name = "partition-changed"),
    @Type(value = MetadataRecord.ProducerIdsGiven.class, name = "producer-ids-given"),
  })
  private interface Kinds {}

  /**
   * By position, without names: a broker's failure changes all of its partitions in one batch,
   * which has to be small.
   */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({
    "replicas",
    "isr",
    "elr",
    "leader",
    "leaderEpoch",
    "partitionEpoch",
    "recovering",
    "adding",
    "removing"
  })
  private interface ByPosition {}
}
