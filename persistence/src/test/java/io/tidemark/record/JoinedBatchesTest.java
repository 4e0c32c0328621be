package io.tidemark.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches that were written as one are sent as one, without being copied. */
class JoinedBatchesTest {
  private final ByteBuffer one = Batches.batch(Compression.NONE, "one");
  private final ByteBuffer two = Batches.batch(Compression.NONE, "two", "2");
  private final ByteBuffer three = Batches.batch(Compression.NONE, "three");

  /** In the midst of an array, and of a buffer. */
  private final ByteBuffer event =
      Batches.concatenated(three, one, two, three).position(three.limit()).slice();

  private final List<RecordBatch> ofEvent = RecordBatches.list(event.duplicate());

  @Test
  void batches_that_adjoin_in_memory_are_not_copied() {
    ByteBuffer joined = RecordBatches.join(ofEvent);
    ByteBuffer last = RecordBatches.join(ofEvent.subList(1, 3));

    assertEquals(event, joined);
    assertEquals(event.slice(one.limit(), event.limit() - one.limit()), last);
    assertTrue(sharesMemory(joined));
    assertTrue(sharesMemory(last));
  }

  @Test
  void others_are_copied() {
    RecordBatch elsewhere = RecordBatch.at(one, 0);

    List<RecordBatch> withGap = List.of(ofEvent.get(0), ofEvent.get(2));
    List<RecordBatch> backwards = List.of(ofEvent.get(1), ofEvent.get(0));
    List<RecordBatch> ofTwo = List.of(ofEvent.get(2), elsewhere);

    assertEquals(Batches.concatenated(one, three), RecordBatches.join(withGap));
    assertEquals(Batches.concatenated(two, one), RecordBatches.join(backwards));
    assertEquals(Batches.concatenated(three, one), RecordBatches.join(ofTwo));
    assertFalse(sharesMemory(RecordBatches.join(backwards)));
    assertEquals(0, RecordBatches.join(List.of()).remaining());
  }

  @Test
  void what_is_read_only_or_not_in_the_heap_is_copied() {
    ByteBuffer direct = ByteBuffer.allocateDirect(event.limit()).put(event.duplicate()).flip();

    assertEquals(event, RecordBatches.join(RecordBatches.list(direct)));
    assertEquals(event, RecordBatches.join(RecordBatches.list(event.asReadOnlyBuffer())));
  }

  /** Whether the last byte is one of the event's. */
  private boolean sharesMemory(ByteBuffer joined) {
    int last = event.limit() - 1;
    event.put(last, (byte) (event.get(last) + 1));
    return joined.get(joined.limit() - 1) == event.get(last);
  }
}
