package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.ReaderCore.Effect;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader that would rather read in its own rack (KIP-392). */
class CloserReplicaTest {
  private static final long MS = 1_000_000;
  private static final int LEADER = 1;
  private static final int CLOSER = 2;

  private final ReaderCore reader = new ReaderCore(0, -1, "here");
  private long now;
  private Effect.SendFetch asked;

  private static PartitionState led(int leader, int epoch) {
    List<Integer> all = List.of(1, 2, 3);
    return new PartitionState(all, all, List.of(), leader, epoch, epoch, false);
  }

  private static FetchResponse served() {
    return FetchResponse.of(20, 0, LEADER, 3);
  }

  private static FetchResponse failed(ErrorCode error) {
    return FetchResponse.failed(error, LEADER, 3);
  }

  private List<Effect> answer(FetchResponse response) {
    now += MS;
    return takeFetch(reader.fetched(asked.requestId(), response, now));
  }

  private List<Effect> takeFetch(List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Effect.SendFetch fetch) {
        asked = fetch;
      }
    }
    return effects;
  }

  private List<Effect> read(long offset) {
    now += MS;
    return takeFetch(reader.read(offset, -1, 100, now));
  }

  @BeforeEach
  void theLeaderIsAsked() {
    reader.described(new UUID(7, 7), led(LEADER, 3), now);
    read(12);
    assertEquals(LEADER, asked.broker());
    assertEquals("here", asked.request().rack());
  }

  private void theLeaderSendsItToTheCloserOne() {
    answer(served().preferring(CLOSER));
    assertEquals(CLOSER, asked.broker());
    assertEquals(12, asked.request().fetchOffset());
  }

  @Test
  void it_goes_where_the_leader_sends_it_and_stays_there() {
    theLeaderSendsItToTheCloserOne();

    assertEquals(List.of(new Effect.Deliver(served(), CLOSER)), answer(served()));
    read(13);

    assertEquals(CLOSER, asked.broker());
    assertEquals("", asked.request().rack());
  }

  @Test
  void s48_out_of_range_at_the_closer_replica_goes_back_to_the_leader_without_a_reset() {
    theLeaderSendsItToTheCloserOne();

    List<Effect> after = answer(failed(ErrorCode.OFFSET_OUT_OF_RANGE));

    assertTrue(after.stream().noneMatch(Effect.OutOfRange.class::isInstance), after::toString);
    assertEquals(LEADER, asked.broker());
    assertEquals(12, asked.request().fetchOffset());
    assertEquals("", asked.request().rack());
    assertEquals(List.of(new Effect.Deliver(served(), LEADER)), answer(served()));
  }

  @Test
  void only_the_leader_s_word_that_an_offset_is_out_of_range_counts() {
    theLeaderSendsItToTheCloserOne();
    answer(failed(ErrorCode.OFFSET_OUT_OF_RANGE));

    assertEquals(List.of(new Effect.OutOfRange(12)), answer(failed(ErrorCode.OFFSET_OUT_OF_RANGE)));
  }

  @Test
  void a_closer_replica_whose_disk_fails_is_left_and_the_reader_does_not_give_up() {
    theLeaderSendsItToTheCloserOne();

    answer(failed(ErrorCode.STORAGE_ERROR));

    assertEquals(LEADER, asked.broker());
  }

  @Test
  void a_closer_replica_that_does_not_answer_is_left() {
    theLeaderSendsItToTheCloserOne();
    now += 3_000 * MS;

    List<Effect> after = takeFetch(reader.timePassed(now));

    assertTrue(after.contains(new Effect.ForgetReplica(CLOSER)));
    assertEquals(LEADER, asked.broker());
  }

  @Test
  void after_a_while_it_tells_its_rack_again() {
    theLeaderSendsItToTheCloserOne();
    answer(failed(ErrorCode.OFFSET_OUT_OF_RANGE));
    answer(served());
    now += 10_000 * MS;

    read(13);

    assertEquals(LEADER, asked.broker());
    assertEquals("here", asked.request().rack());
  }

  @Test
  void after_a_while_the_leader_is_asked_again_which_replica_is_in_sync() {
    theLeaderSendsItToTheCloserOne();
    answer(served());
    now += 30_000 * MS;

    read(13);

    assertEquals(LEADER, asked.broker());
  }

  @Test
  void a_new_leader_is_asked_first() {
    theLeaderSendsItToTheCloserOne();

    takeFetch(reader.described(new UUID(7, 7), led(3, 4), now));

    assertEquals(3, asked.broker());
    assertEquals("here", asked.request().rack());
  }

  @Test
  void offsets_are_asked_of_the_leader() {
    theLeaderSendsItToTheCloserOne();
    answer(served());

    List<Effect> sent = reader.find(Position.LATEST, -1, now);

    assertEquals(LEADER, ((Effect.SendListOffsets) sent.get(0)).broker());
  }
}
