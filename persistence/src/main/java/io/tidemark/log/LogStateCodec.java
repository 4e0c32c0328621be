package io.tidemark.log;

import io.tidemark.log.Cuts.Cut;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.ProducerStates.Batch;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The bytes of a {@link LogState} in a snapshot: a version byte, then the fields, big-endian. */
final class LogStateCodec {
  private static final byte VERSION = 3;

  private LogStateCodec() {}

  static int sizeOf(LogState state) {
    int producers = 4;
    for (List<Batch> batches : state.producers().asMap().values()) {
      producers += 12 + batches.size() * 26;
    }
    return 1
        + 5 * 8
        + (4 + state.epochs().entries().size() * 12)
        + producers
        + 29
        + sizeOf(state.quorum())
        + (4 + state.layout().index().size() * 32)
        + (4 + state.layout().cuts().list().size() * 16)
        + 2 * 8;
  }

  private static int sizeOf(QuorumPart quorum) {
    int sets = 4;
    for (VoterSets.Entry set : quorum.voterSets().entries()) {
      sets += 8 + LogEventCodec.sizeOf(set.voters());
    }
    return sets + quorum.snapshot().sizeInBytes() + 4;
  }

  static void encode(LogState state, ByteBuffer out) {
    out.put(VERSION);
    out.putLong(state.sequenceNr()).putLong(state.startOffset()).putLong(state.endOffset());
    out.putLong(state.highWatermark()).putLong(state.bytes());
    out.putInt(state.epochs().entries().size());
    state.epochs().entries().forEach(e -> out.putInt(e.epoch()).putLong(e.startOffset()));
    Map<Long, List<Batch>> producers = state.producers().asMap();
    out.putInt(producers.size());
    producers.forEach(
        (producerId, batches) -> {
          out.putLong(producerId).putInt(batches.size());
          batches.forEach(
              batch -> {
                out.putShort(batch.producerEpoch());
                out.putInt(batch.firstSequence()).putInt(batch.lastSequence());
                out.putLong(batch.baseOffset()).putLong(batch.lastOffset());
              });
        });
    LogEventCodec.putVote(out, state.vote());
    List<VoterSets.Entry> sets = state.quorum().voterSets().entries();
    out.putInt(sets.size());
    for (VoterSets.Entry set : sets) {
      LogEventCodec.putVoters(out.putLong(set.offset()), set.voters());
    }
    state.snapshot().encode(out);
    out.putInt(state.quorum().startEpoch());
    OffsetIndex index = state.layout().index();
    out.putInt(index.size());
    for (int i = 0; i < index.size(); i++) {
      OffsetIndex.Point point = index.point(i);
      out.putLong(point.offset()).putLong(point.sequenceNr());
      out.putLong(point.position()).putLong(point.maxTimestamp());
    }
    List<Cut> cuts = state.layout().cuts().list();
    out.putInt(cuts.size());
    cuts.forEach(cut -> out.putLong(cut.offset()).putLong(cut.firstLiveSequenceNr()));
    out.putLong(state.layout().endPosition()).putLong(state.layout().maxTimestamp());
  }

  static LogState decode(ByteBuffer in) {
    try {
      byte version = in.get();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "log snapshot of version " + version + ", this program reads " + VERSION);
      }
      return new LogState(
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          epochs(in),
          producers(in),
          quorum(in),
          layout(in));
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("log snapshot ends too early", e);
    }
  }

  private static LeaderEpochs epochs(ByteBuffer in) {
    List<LeaderEpochs.Entry> entries = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      entries.add(new LeaderEpochs.Entry(in.getInt(), in.getLong()));
    }
    return LeaderEpochs.of(entries);
  }

  private static ProducerStates producers(ByteBuffer in) {
    Map<Long, List<Batch>> producers = new HashMap<>();
    for (int left = in.getInt(); left > 0; left--) {
      long producerId = in.getLong();
      List<Batch> batches = new ArrayList<>();
      for (int more = in.getInt(); more > 0; more--) {
        batches.add(new Batch(in.getShort(), in.getInt(), in.getInt(), in.getLong(), in.getLong()));
      }
      producers.put(producerId, List.copyOf(batches));
    }
    return ProducerStates.of(producers);
  }

  private static QuorumPart quorum(ByteBuffer in) {
    QuorumVote vote = LogEventCodec.getVote(in);
    List<VoterSets.Entry> sets = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      long offset = in.getLong();
      sets.add(new VoterSets.Entry(offset, LogEventCodec.getVoters(in)));
    }
    return new QuorumPart(vote, new VoterSets(sets), LogSnapshot.decode(in), in.getInt());
  }

  private static Layout layout(ByteBuffer in) {
    int size = in.getInt();
    if (size < 0 || size > OffsetIndex.MAX_POINTS) {
      throw new IllegalArgumentException("log snapshot with " + size + " index points");
    }
    OffsetIndex.Point[] points = new OffsetIndex.Point[size];
    for (int i = 0; i < size; i++) {
      points[i] = new OffsetIndex.Point(in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }
    List<Cut> cuts = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      cuts.add(new Cut(in.getLong(), in.getLong()));
    }
    return new Layout(new OffsetIndex(points), new Cuts(cuts), in.getLong(), in.getLong());
  }
}
