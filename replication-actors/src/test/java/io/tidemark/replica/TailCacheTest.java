package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.numbered;
import static io.tidemark.replica.ScenarioBatches.records;
import static io.tidemark.replica.ScenarioBatches.stored;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class TailCacheTest {
  private final TailCache cache = new TailCache(new TailCache.Budget(1 << 20));

  @Test
  void what_was_appended_is_read_from_any_offset_in_it() {
    cache.append(numbered(0, 0, 2));
    cache.append(numbered(0, 2, 2));

    assertEquals(4, records(cache.read(1, 4, 1 << 20)).size());
    assertEquals(List.of("2@0 r2", "3@0 r3"), records(cache.read(2, 4, 1 << 20)));
  }

  @Test
  void at_least_one_batch_is_given_and_no_more_than_fits() {
    cache.append(numbered(0, 0, 1));
    cache.append(numbered(0, 1, 1));

    assertEquals(List.of("0@0 r0"), records(cache.read(0, 2, 1)));
  }

  @Test
  void nothing_from_the_limit_on_is_given() {
    cache.append(numbered(0, 0, 1));
    cache.append(numbered(0, 1, 1));

    assertEquals(List.of("0@0 r0"), records(cache.read(0, 1, 1 << 20)));
  }

  @Test
  void what_lies_before_it_is_for_the_disk_to_tell() {
    cache.append(numbered(0, 5, 1));

    assertNull(cache.read(4, 6, 1 << 20));
  }

  @Test
  void what_was_cut_is_gone_and_what_replaces_it_is_read() {
    cache.append(numbered(0, 0, 1));
    cache.append(stored(0, 1, "cut"));
    cache.truncate(1);
    cache.append(stored(1, 1, "new"));

    assertEquals(List.of("0@0 r0", "1@1 new"), records(cache.read(0, 2, 1 << 20)));
  }

  @Test
  void the_oldest_batches_go_when_the_node_holds_too_much() {
    TailCache small = new TailCache(new TailCache.Budget(150));
    small.append(numbered(0, 0, 1));
    small.append(numbered(0, 1, 1));
    small.append(numbered(0, 2, 1));

    assertNull(small.read(0, 3, 1 << 20));
    assertNotNull(small.read(2, 3, 1 << 20));
  }

  @Test
  void a_cache_that_is_cleared_gives_its_room_to_others() {
    TailCache.Budget budget = new TailCache.Budget(150);
    TailCache other = new TailCache(budget);
    other.append(numbered(0, 0, 2));
    TailCache mine = new TailCache(budget);
    other.clear();

    mine.append(numbered(0, 0, 1));
    mine.append(numbered(0, 1, 1));

    assertNotNull(mine.read(0, 2, 1 << 20));
  }

  @Test
  void much_is_not_copied_for_the_sake_of_what_lies_elsewhere() {
    String much = "x".repeat(130 << 10);
    cache.append(stored(0, 0, much));
    cache.append(stored(0, 1, "elsewhere"));

    assertEquals(List.of("0@0 " + much), records(cache.read(0, 2, 1 << 20)));
    assertEquals(List.of("1@0 elsewhere"), records(cache.read(1, 2, 1 << 20)));
  }

  @Test
  void what_was_appended_as_one_is_given_as_one_and_shares_its_memory() {
    String much = "x".repeat(130 << 10);
    ByteBuffer first = stored(0, 0, much);
    ByteBuffer second = stored(0, 1, "behind it");
    ByteBuffer event = ByteBuffer.allocate(first.remaining() + second.remaining());
    event.put(first).put(second).flip();
    cache.append(event);

    ByteBuffer read = cache.read(0, 2, 1 << 20);
    event.put(event.limit() - 1, (byte) '!');

    assertEquals(event, read);
  }
}
