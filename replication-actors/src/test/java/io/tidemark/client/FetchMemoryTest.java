package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.Done;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FetchMemoryTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  private final FetchMemory memory = new FetchMemory(10 * MIB);

  private static boolean isDone(CompletionStage<Done> stage) {
    return stage.toCompletableFuture().isDone();
  }

  @Test
  void the_more_partitions_there_are_the_less_is_fetched_of_each() {
    FetchMemory.Share first = memory.open();
    assertEquals(MIB, first.fetchBytes(MIB, 3));

    List<FetchMemory.Share> others = IntStream.range(0, 9).mapToObj(i -> memory.open()).toList();
    assertEquals(10 * MIB / 30, first.fetchBytes(MIB, 3));
    for (int i = 0; i < 1_000; i++) {
      memory.open();
    }
    assertEquals(64 * KIB, first.fetchBytes(MIB, 3));
    assertEquals(KIB, first.fetchBytes(KIB, 3), "what is asked for is the most");
    assertEquals(9, others.size());
  }

  @Test
  void a_partition_that_is_given_up_leaves_its_part_to_the_others() {
    FetchMemory.Share a = memory.open();
    List<FetchMemory.Share> others = new ArrayList<>();
    for (int i = 0; i < 99; i++) {
      others.add(memory.open());
    }
    others.get(0).fetched(9, 3 * MIB);
    assertEquals(3 * MIB, memory.held());

    others.forEach(FetchMemory.Share::close);
    others.forEach(FetchMemory.Share::close);

    assertEquals(0, memory.held());
    assertEquals(MIB, a.fetchBytes(MIB, 3));
  }

  @Test
  void what_is_held_goes_with_the_last_record_of_its_answer() {
    FetchMemory.Share share = memory.open();
    share.fetched(9, 100);
    share.fetched(19, 50);

    share.handedOn(8);
    assertEquals(150, memory.held());
    share.handedOn(9);
    assertEquals(50, memory.held());
    share.handedOn(10);
    assertEquals(50, memory.held());
    share.handedOn(19);
    assertEquals(0, memory.held());
  }

  @Test
  void while_it_is_full_whoever_has_something_waits_until_it_is_handed_on() {
    FetchMemory.Share a = memory.open();
    FetchMemory.Share b = memory.open();
    a.fetched(9, 4 * MIB);
    assertTrue(isDone(a.mayFetch()));
    a.fetched(19, 6 * MIB);

    CompletionStage<Done> next = a.mayFetch();
    assertFalse(isDone(next));
    assertTrue(isDone(b.mayFetch()), "it has nothing");
    a.handedOn(9);
    assertFalse(isDone(next));
    assertTrue(isDone(a.mayFetch()), "there is room again");
    a.handedOn(19);

    assertTrue(isDone(next));
  }

  @Test
  void whoever_waits_when_its_partition_is_given_up_does_not_wait_for_ever() {
    FetchMemory.Share share = memory.open();
    share.fetched(9, 20 * MIB);
    CompletionStage<Done> next = share.mayFetch();
    assertFalse(isDone(next));

    share.close();
    share.fetched(19, 20 * MIB);

    assertTrue(isDone(next));
    assertEquals(0, memory.held());
  }
}
