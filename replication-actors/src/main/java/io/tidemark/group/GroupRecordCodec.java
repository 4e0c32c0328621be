package io.tidemark.group;

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
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.PartitionId;
import java.io.IOException;
import java.util.Arrays;

/**
 * The bytes of a {@link GroupRecord}: a version byte, then CBOR. The names of the kinds are written
 * down here, so that a class may be renamed and old logs stay readable; partitions and offsets go
 * by position, since there are many.
 */
public final class GroupRecordCodec {
  static final byte VERSION = 1;

  private static final CBORMapper MAPPER =
      CBORMapper.builder()
          .addMixIn(GroupRecord.class, Kinds.class)
          .addMixIn(PartitionId.class, PartitionByPosition.class)
          .addMixIn(CommittedOffset.class, OffsetByPosition.class)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();
  private static final ObjectReader READER = MAPPER.readerFor(GroupRecord.class);
  private static final ObjectWriter WRITER = MAPPER.writerFor(GroupRecord.class);

  private GroupRecordCodec() {}

  public static byte[] encode(GroupRecord record) {
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
   * @throws IllegalArgumentException when it is of a newer version or not a group record at all
   */
  public static GroupRecord decode(byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException("an empty group record");
    }
    if (bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "a group record of version %d; this release reads version %d: run a newer release"
              .formatted(bytes[0], VERSION));
    }
    try {
      return READER.readValue(bytes, 1, bytes.length - 1);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "not a group record: "
              + Arrays.toString(Arrays.copyOf(bytes, Math.min(16, bytes.length))),
          e);
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes({
    @Type(value = GroupRecord.CoordinatorStarted.class, name = "coordinator-started"),
    @Type(value = GroupRecord.GroupChanged.class, name = "group-changed"),
    @Type(value = GroupRecord.OffsetsCommitted.class, name = "offsets-committed"),
    @Type(value = GroupRecord.GroupIdle.class, name = "group-idle"),
    @Type(value = GroupRecord.GroupExpired.class, name = "group-expired"),
  })
  private interface Kinds {}

  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"topicId", "partition"})
  private interface PartitionByPosition {}

  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"partition", "offset", "leaderEpoch"})
  private interface OffsetByPosition {}
}
