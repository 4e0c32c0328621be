package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.HighWatermarkCheckpointed;
import io.tidemark.log.LogEvent.LeaderEpochStarted;
import io.tidemark.log.LogEvent.LogRestarted;
import io.tidemark.log.LogEvent.LogStartAdvanced;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogFixtures.Memory;
import io.tidemark.log.ProducerStates.Batch;
import io.tidemark.record.RecordBatch;
import io.tidemark.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** A log's state against a model that simply keeps its batches. */
class LogStatePropertiesTest {

  private enum Kind {
    APPEND,
    APPEND_MORE,
    NEW_EPOCH,
    CUT,
    ADVANCE_START,
    CHECKPOINT,
    RESTART_ANEW,
    RECOVER
  }

  /** A model batch; sequence −1 when it has no producer. */
  private record Written(int epoch, long base, long next, long producer, int sequence) {}

  private static final class Model {
    final Memory log = new Memory();
    final List<Written> batches = new ArrayList<>();
    int epoch;
    long start;
    long end;
    long highWatermark;

    void step(Kind kind, int a, int b) {
      switch (kind) {
        case APPEND -> append(List.of(a), b);
        case APPEND_MORE -> append(List.of(a, b, a + b), a);
        case NEW_EPOCH -> {
          epoch += 1 + a % 2;
          log.add(new LeaderEpochStarted(epoch, end));
        }
        case CUT -> cut(a);
        case ADVANCE_START -> {
          start += (highWatermark - start) * (a % 4) / 4;
          log.add(new LogStartAdvanced(start));
        }
        case CHECKPOINT -> {
          highWatermark += (end - highWatermark) * (a % 4) / 4;
          log.add(new HighWatermarkCheckpointed(highWatermark));
        }
        case RESTART_ANEW -> {
          if (a == 0) {
            end += b;
            start = end;
            highWatermark = end;
            batches.clear();
            log.add(new LogRestarted(end));
          }
        }
        case RECOVER -> log.restart();
      }
    }

    private void append(List<Integer> sizes, int producer) {
      List<RecordBatch> parts = new ArrayList<>();
      for (int size : sizes) {
        int count = 1 + size % 4;
        boolean identified = producer % 3 > 0;
        long id = producer % 3;
        int sequence = identified ? nextSequence(id) : -1;
        ByteBuffer part =
            identified
                ? LogFixtures.batch(epoch, end, count, id, sequence)
                : LogFixtures.batch(epoch, end, count);
        parts.add(RecordBatch.at(part, 0));
        batches.add(new Written(epoch, end, end + count, identified ? id : -1, sequence));
        end += count;
      }
      log.add(new BatchesAppended(RecordBatches.join(parts), highWatermark));
    }

    private int nextSequence(long producer) {
      return of(producer).stream()
          .reduce((first, last) -> last)
          .map(last -> last.sequence() + (int) (last.next() - last.base()))
          .orElse(0);
    }

    List<Written> of(long producer) {
      return batches.stream().filter(batch -> batch.producer() == producer).toList();
    }

    /** Never below the high watermark, and always between batches. */
    private void cut(int howMany) {
      while (howMany-- > 0 && !batches.isEmpty()) {
        Written last = batches.get(batches.size() - 1);
        if (last.base() < highWatermark || last.base() < start) {
          break;
        }
        batches.remove(batches.size() - 1);
        end = last.base();
      }
      log.add(new LogTruncated(end));
    }

    List<Written> live(long from) {
      return batches.stream().filter(batch -> batch.next() > from).toList();
    }
  }

  @Provide
  Arbitrary<List<Tuple.Tuple3<Kind, Integer, Integer>>> steps() {
    return Combinators.combine(
            Arbitraries.frequency(
                Tuple.of(6, Kind.APPEND),
                Tuple.of(2, Kind.APPEND_MORE),
                Tuple.of(2, Kind.NEW_EPOCH),
                Tuple.of(3, Kind.CUT),
                Tuple.of(1, Kind.ADVANCE_START),
                Tuple.of(2, Kind.CHECKPOINT),
                Tuple.of(1, Kind.RESTART_ANEW),
                Tuple.of(1, Kind.RECOVER)),
            Arbitraries.integers().between(0, 9),
            Arbitraries.integers().between(0, 9))
        .as(Tuple::of)
        .list()
        .ofMaxSize(60);
  }

  private static Model run(List<Tuple.Tuple3<Kind, Integer, Integer>> steps) {
    Model model = new Model();
    steps.forEach(step -> model.step(step.get1(), step.get2(), step.get3()));
    return model;
  }

  @Property(tries = 400)
  void offsets_and_epochs_are_those_of_the_batches(
      @ForAll("steps") List<Tuple.Tuple3<Kind, Integer, Integer>> steps) {
    Model model = run(steps);
    LogState state = model.log.state();

    assertEquals(model.start, state.startOffset());
    assertEquals(model.end, state.endOffset());
    assertEquals(model.highWatermark, state.highWatermark());
    assertEquals(state.epochs(), LeaderEpochs.of(state.epochs().entries()));
    for (Written batch : model.live(model.start)) {
      long served = Math.max(model.start, batch.base());
      assertEquals(batch.epoch(), state.epochs().epochAt(served));
    }
  }

  @Property(tries = 300)
  void exactly_the_live_batches_are_read_from_every_offset(
      @ForAll("steps") List<Tuple.Tuple3<Kind, Integer, Integer>> steps) {
    Model model = run(steps);

    for (long from = model.start; from <= model.end; from++) {
      List<RecordBatch> found =
          RecordBatches.list(model.log.read(from, model.end, Integer.MAX_VALUE));
      List<Written> expected = model.live(from);

      assertEquals(expected.size(), found.size());
      for (int i = 0; i < found.size(); i++) {
        assertEquals(expected.get(i).base(), found.get(i).baseOffset());
        assertEquals(expected.get(i).epoch(), found.get(i).leaderEpoch());
        assertEquals(expected.get(i).next(), found.get(i).nextOffset());
      }
    }
  }

  @Property(tries = 200)
  void a_read_gives_at_least_one_batch_and_stops_at_its_limits(
      @ForAll("steps") List<Tuple.Tuple3<Kind, Integer, Integer>> steps) {
    Model model = run(steps);

    for (long from = model.start; from < model.end; from++) {
      assertEquals(1, RecordBatches.list(model.log.read(from, model.end, 1)).size());
      assertTrue(model.log.read(from, from, Integer.MAX_VALUE).remaining() == 0);
    }
  }

  @Property(tries = 400)
  void the_last_five_batches_of_every_producer_are_known_after_any_cut(
      @ForAll("steps") List<Tuple.Tuple3<Kind, Integer, Integer>> steps) {
    Model model = run(steps);

    for (long producer = 1; producer <= 2; producer++) {
      List<Written> written = model.of(producer);
      List<Long> last =
          written.subList(Math.max(0, written.size() - 5), written.size()).stream()
              .map(Written::base)
              .toList();
      List<Long> known =
          model.log.state().producers().asMap().getOrDefault(producer, List.of()).stream()
              .map(Batch::baseOffset)
              .toList();

      assertTrue(known.size() >= last.size(), known + " of " + written);
      assertEquals(last, known.subList(known.size() - last.size(), known.size()));
    }
  }
}
