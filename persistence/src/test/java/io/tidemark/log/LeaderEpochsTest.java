package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.log.LeaderEpochs.Entry;
import io.tidemark.log.LeaderEpochs.EpochEnd;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class LeaderEpochsTest {
  private static final LeaderEpochs SIX =
      LeaderEpochs.EMPTY
          .assign(0, 0)
          .assign(3, 2)
          .assign(4, 8)
          .assign(7, 13)
          .assign(9, 14)
          .assign(10, 17);

  @Test
  void s05_the_end_of_an_epoch_is_the_start_of_the_next() {
    assertEquals(new EpochEnd(0, 2), SIX.endOffsetFor(2, 17));
    assertEquals(new EpochEnd(4, 13), SIX.endOffsetFor(6, 17));
    assertEquals(new EpochEnd(10, 17), SIX.endOffsetFor(10, 17));
    assertEquals(EpochEnd.UNDEFINED, SIX.endOffsetFor(11, 17));
    assertEquals(new EpochEnd(7, 14), SIX.endOffsetFor(7, 17));
  }

  @Test
  void s06_below_the_first_epoch_the_answer_is_the_asked_epoch_and_the_start() {
    LeaderEpochs trimmed = SIX.truncateFromStart(5);

    assertEquals(new EpochEnd(2, 5), trimmed.endOffsetFor(2, 17));
    assertEquals(new EpochEnd(0, 5), trimmed.endOffsetFor(0, 17));
  }

  @Test
  void of_no_epoch_nothing_is_known() {
    assertEquals(EpochEnd.UNDEFINED, LeaderEpochs.EMPTY.endOffsetFor(0, 0));
    assertEquals(EpochEnd.UNDEFINED, SIX.endOffsetFor(-1, 17));
  }

  @Test
  void an_epoch_that_starts_again_behind_its_start_changes_nothing() {
    assertEquals(SIX, SIX.assign(10, 20));
  }

  @Test
  void an_epoch_that_wrote_nothing_is_replaced_by_the_next() {
    assertEquals(
        List.of(new Entry(1, 0), new Entry(3, 5)),
        LeaderEpochs.EMPTY.assign(1, 0).assign(2, 5).assign(3, 5).entries());
  }

  @Test
  void a_cut_log_forgets_the_epochs_from_its_end_on() {
    assertEquals(4, SIX.truncateFromEnd(13).latest());
    assertEquals(7, SIX.truncateFromEnd(14).latest());
  }

  @Test
  void the_epoch_of_an_offset_is_the_last_that_started_by_then() {
    assertEquals(3, SIX.epochAt(7));
    assertEquals(4, SIX.epochAt(8));
    assertEquals(-1, SIX.truncateFromStart(5).epochAt(4));
  }

  @Test
  void entries_that_do_not_increase_are_refused() {
    List<Entry> twice = List.of(new Entry(1, 0), new Entry(1, 5));

    assertThrows(IllegalArgumentException.class, () -> LeaderEpochs.of(twice));
  }

  private enum Kind {
    ASSIGN,
    CUT_END,
    CUT_START
  }

  private record Change(Kind kind, int epoch, long offset) {
    LeaderEpochs on(LeaderEpochs epochs) {
      return switch (kind) {
        case ASSIGN -> epochs.assign(epoch, offset);
        case CUT_END -> epochs.truncateFromEnd(offset);
        case CUT_START -> epochs.truncateFromStart(offset);
      };
    }
  }

  @Provide
  Arbitrary<List<Change>> changes() {
    return Combinators.combine(
            Arbitraries.of(Kind.class),
            Arbitraries.integers().between(0, 12),
            Arbitraries.longs().between(0, 30))
        .as(Change::new)
        .list()
        .ofMaxSize(40);
  }

  @Property
  void entries_always_increase_in_both_fields(@ForAll("changes") List<Change> changes) {
    LeaderEpochs epochs = LeaderEpochs.EMPTY;
    for (Change change : changes) {
      epochs = change.on(epochs);

      assertEquals(epochs, LeaderEpochs.of(epochs.entries()));
    }
  }

  @Property
  void an_epochs_end_is_where_the_first_higher_one_starts(
      @ForAll("changes") List<Change> changes, @ForAll("epoch") int asked) {
    LeaderEpochs epochs = LeaderEpochs.EMPTY;
    for (Change change : changes) {
      epochs = change.on(epochs);
    }
    long end = 100;
    long expected =
        epochs.isEmpty() || asked > epochs.latest()
            ? -1
            : epochs.entries().stream()
                .filter(entry -> entry.epoch() > asked)
                .mapToLong(Entry::startOffset)
                .findFirst()
                .orElse(end);

    assertEquals(expected, epochs.endOffsetFor(asked, end).endOffset());
  }

  @Provide
  Arbitrary<Integer> epoch() {
    return Arbitraries.integers().between(0, 13);
  }
}
