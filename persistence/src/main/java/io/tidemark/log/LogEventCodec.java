package io.tidemark.log;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.SnapshotInstalled;
import io.tidemark.log.LogEvent.SnapshotTaken;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.record.Checksums;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The bytes of a {@link LogEvent} in the journal: a version byte, a kind byte, then the fields,
 * big-endian. Batches are the last field and have no length of their own: they end with the entry.
 */
public final class LogEventCodec {
  static final byte VERSION = 1;

  private static final byte APPENDED = 1;
  private static final byte EPOCH_STARTED = 2;
  private static final byte TRUNCATED = 3;
  private static final byte RESTARTED = 4;
  private static final byte HW_CHECKPOINTED = 5;
  private static final byte START_ADVANCED = 6;
  private static final byte VOTED = 7;
  private static final byte VOTERS = 8;
  private static final byte SNAPSHOT_TAKEN = 9;
  private static final byte SNAPSHOT_INSTALLED = 10;

  private LogEventCodec() {}

  /** An upper bound of what {@link #encode} writes. */
  public static int sizeOf(LogEvent event) {
    if (event instanceof BatchesAppended appended) {
      return 2 + 8 + appended.batches().remaining();
    }
    if (event instanceof VotersRecorded recorded) {
      return 2 + sizeOf(recorded.voters());
    }
    if (event instanceof SnapshotTaken taken) {
      return 2 + 8 + taken.snapshot().sizeInBytes();
    }
    if (event instanceof SnapshotInstalled installed) {
      return 2 + installed.snapshot().sizeInBytes();
    }
    return 2 + 40;
  }

  static int sizeOf(List<Voter> voters) {
    return 4
        + voters.stream()
            .mapToInt(v -> 24 + v.address().getBytes(StandardCharsets.UTF_8).length)
            .sum();
  }

  public static void encode(LogEvent event, ByteBuffer out) {
    out.put(VERSION);
    if (event instanceof BatchesAppended e) {
      out.put(APPENDED).putLong(e.highWatermark()).put(e.batches().duplicate());
    } else if (event instanceof LeaderEpochStarted e) {
      out.put(EPOCH_STARTED).putInt(e.epoch()).putLong(e.startOffset());
    } else if (event instanceof LogTruncated e) {
      out.put(TRUNCATED).putLong(e.endOffset());
    } else if (event instanceof LogRestarted e) {
      out.put(RESTARTED).putLong(e.startOffset());
    } else if (event instanceof HighWatermarkCheckpointed e) {
      out.put(HW_CHECKPOINTED).putLong(e.highWatermark());
    } else if (event instanceof LogStartAdvanced e) {
      out.put(START_ADVANCED).putLong(e.startOffset());
    } else if (event instanceof VoteRecorded e) {
      putVote(out.put(VOTED), e.vote());
    } else if (event instanceof VotersRecorded e) {
      putVoters(out.put(VOTERS), e.voters());
    } else if (event instanceof SnapshotTaken e) {
      e.snapshot().encode(out.put(SNAPSHOT_TAKEN).putLong(e.startOffset()));
    } else if (event instanceof SnapshotInstalled e) {
      e.snapshot().encode(out.put(SNAPSHOT_INSTALLED));
    }
  }

  /**
   * What {@link #encode} has put between the two positions, summed: most of it by its batches' own
   * checksums, which have been checked before anything is appended.
   */
  static int checksum(BatchesAppended event, ByteBuffer encoded, int from, int to) {
    int crc = 0;
    int summedTo = from;
    int at = to - event.batches().remaining();
    for (RecordBatch batch : RecordBatches.list(event.batches())) {
      if (batch.sizeInBytes() >= Checksums.WORTH_JOINING) {
        int covered = batch.coveredBytes();
        int body = at + batch.sizeInBytes() - covered;
        crc = Checksums.join(crc, Checksums.of(encoded, summedTo, body), body - summedTo);
        crc = Checksums.join(crc, batch.crc(), covered);
        summedTo = body + covered;
      }
      at += batch.sizeInBytes();
    }
    return Checksums.join(crc, Checksums.of(encoded, summedTo, to), to - summedTo);
  }

  /**
   * @param in read from its position to its limit; batches in the event share its bytes
   * @throws IllegalArgumentException when it is of a newer version or not an event at all
   */
  public static LogEvent decode(ByteBuffer in) {
    try {
      byte version = in.get();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "log event of version " + version + ", this program reads " + VERSION);
      }
      byte kind = in.get();
      return switch (kind) {
        case APPENDED -> {
          long hw = in.getLong();
          yield new BatchesAppended(in.slice(), hw);
        }
        case EPOCH_STARTED -> new LeaderEpochStarted(in.getInt(), in.getLong());
        case TRUNCATED -> new LogTruncated(in.getLong());
        case RESTARTED -> new LogRestarted(in.getLong());
        case HW_CHECKPOINTED -> new HighWatermarkCheckpointed(in.getLong());
        case START_ADVANCED -> new LogStartAdvanced(in.getLong());
        case VOTED -> new VoteRecorded(getVote(in));
        case VOTERS -> new VotersRecorded(getVoters(in));
        case SNAPSHOT_TAKEN -> {
          long start = in.getLong();
          yield new SnapshotTaken(LogSnapshot.decode(in), start);
        }
        case SNAPSHOT_INSTALLED -> new SnapshotInstalled(LogSnapshot.decode(in));
        default -> throw new IllegalArgumentException("log event of unknown kind " + kind);
      };
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("log event ends too early", e);
    }
  }

  static void putVote(ByteBuffer out, QuorumVote vote) {
    out.putInt(vote.epoch()).putInt(vote.leaderId()).putInt(vote.votedFor());
    UUID directory = vote.votedDirectory();
    out.put((byte) (directory == null ? 0 : 1));
    if (directory != null) {
      putUuid(out, directory);
    }
  }

  static QuorumVote getVote(ByteBuffer in) {
    int epoch = in.getInt();
    int leader = in.getInt();
    int votedFor = in.getInt();
    return new QuorumVote(epoch, leader, votedFor, in.get() == 0 ? null : getUuid(in));
  }

  static void putVoters(ByteBuffer out, List<Voter> voters) {
    out.putInt(voters.size());
    for (Voter voter : voters) {
      byte[] address = voter.address().getBytes(StandardCharsets.UTF_8);
      putUuid(out.putInt(voter.id()), voter.directoryId());
      out.putInt(address.length).put(address);
    }
  }

  static List<Voter> getVoters(ByteBuffer in) {
    int count = in.getInt();
    List<Voter> voters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int id = in.getInt();
      UUID directory = getUuid(in);
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new IllegalArgumentException("log event: address of " + length + " bytes");
      }
      byte[] address = new byte[length];
      in.get(address);
      voters.add(new Voter(id, directory, new String(address, StandardCharsets.UTF_8)));
    }
    return voters;
  }

  private static void putUuid(ByteBuffer out, UUID uuid) {
    out.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
  }

  private static UUID getUuid(ByteBuffer in) {
    return new UUID(in.getLong(), in.getLong());
  }
}
