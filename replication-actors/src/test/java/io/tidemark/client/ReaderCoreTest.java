package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.ReaderCore.Effect;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReaderCoreTest {
  private static final long MS = 1_000_000;
  private static final UUID TOPIC = new UUID(7, 7);
  private final ReaderCore reader = new ReaderCore(0, -1, "");

  private static PartitionState led(int leader, int epoch) {
    List<Integer> all = List.of(1, 2);
    return new PartitionState(all, all, List.of(), leader, epoch, epoch, false);
  }

  private static Effect.SendFetch fetchIn(List<Effect> effects) {
    return (Effect.SendFetch)
        effects.stream().filter(Effect.SendFetch.class::isInstance).findFirst().orElseThrow();
  }

  @Test
  void it_finds_the_leader_and_then_fetches_from_it() {
    List<Effect> asked = reader.read(5, -1, 100, 0);

    List<Effect> sent = reader.described(TOPIC, led(1, 3), 1);

    assertEquals(List.of(new Effect.AskTopic()), asked);
    assertEquals(1, fetchIn(sent).broker());
    assertEquals(5, fetchIn(sent).request().fetchOffset());
    assertEquals(3, fetchIn(sent).request().leaderEpoch());
  }

  @Test
  void an_answer_is_delivered_once() {
    reader.read(5, -1, 100, 0);
    long id = fetchIn(reader.described(TOPIC, led(1, 3), 1)).requestId();
    FetchResponse answer = FetchResponse.of(5, 0, 1, 3);

    assertEquals(List.of(new Effect.Deliver(answer, 1)), reader.fetched(id, answer, 2));
    assertTrue(reader.fetched(id, answer, 3).isEmpty());
    assertTrue(reader.isIdle());
  }

  @Test
  void a_new_leader_is_asked_at_once_and_the_old_ones_answer_is_dropped() {
    reader.read(5, -1, 100, 0);
    long old = fetchIn(reader.described(TOPIC, led(1, 3), 1)).requestId();

    Effect.SendFetch anew = fetchIn(reader.described(TOPIC, led(2, 4), 2));

    assertEquals(2, anew.broker());
    assertTrue(reader.fetched(old, FetchResponse.of(5, 0, 1, 3), 3).isEmpty());
  }

  @Test
  void a_replica_that_does_not_lead_makes_it_look_up_and_try_again() {
    reader.read(5, -1, 100, 0);
    long id = fetchIn(reader.described(TOPIC, led(1, 3), 1)).requestId();
    FetchResponse moved = FetchResponse.failed(ErrorCode.NOT_LEADER_OR_FOLLOWER, 2, 4);

    List<Effect> after = reader.fetched(id, moved, 300 * MS);

    assertEquals(List.of(new Effect.AskTopic()), after);
    assertEquals(1, fetchIn(reader.timePassed(350 * MS)).broker());
  }

  @Test
  void an_offset_that_is_not_there_is_told_and_not_reset() {
    reader.read(5, -1, 100, 0);
    long id = fetchIn(reader.described(TOPIC, led(1, 3), 1)).requestId();

    List<Effect> told =
        reader.fetched(id, FetchResponse.failed(ErrorCode.OFFSET_OUT_OF_RANGE, 1, 3), 2);

    assertEquals(List.of(new Effect.OutOfRange(5)), told);
  }

  @Test
  void an_answer_that_does_not_come_is_asked_for_again() {
    reader.read(5, -1, 100, 0);
    reader.described(TOPIC, led(1, 3), 1);

    List<Effect> after = reader.timePassed(3_000 * MS);

    assertTrue(after.contains(new Effect.ForgetReplica(1)));
    assertEquals(5, fetchIn(after).request().fetchOffset());
  }

  @Test
  void the_latest_offset_is_asked_for_until_the_leader_knows_it() {
    reader.described(TOPIC, led(1, 3), 0);
    Effect.SendListOffsets first =
        (Effect.SendListOffsets) reader.find(Position.LATEST, -1, 1).get(0);
    CurrentLeader leader = new CurrentLeader(1, 3);
    reader.listed(
        first.requestId(),
        new ListOffsetsResponse(ErrorCode.OFFSET_NOT_AVAILABLE, -1, -1, leader),
        2);

    Effect.SendListOffsets second =
        (Effect.SendListOffsets)
            reader.timePassed(60 * MS).stream()
                .filter(Effect.SendListOffsets.class::isInstance)
                .findFirst()
                .orElseThrow();

    assertEquals(
        List.of(new Effect.DeliverOffset(9)),
        reader.listed(
            second.requestId(), new ListOffsetsResponse(ErrorCode.NONE, 9, -1, leader), 61 * MS));
  }

  @Test
  void what_the_disk_does_not_give_back_is_told_and_not_asked_for_again() {
    reader.read(5, -1, 100, 0);
    long id = fetchIn(reader.described(TOPIC, led(1, 3), 1)).requestId();

    List<Effect> told = reader.fetched(id, FetchResponse.failed(ErrorCode.STORAGE_ERROR, 1, 3), 2);

    assertEquals(List.of(new Effect.Refused(ErrorCode.STORAGE_ERROR)), told);
    assertTrue(reader.isIdle());
  }

  private List<Effect.Complain> complaints(long now) {
    return reader.timePassed(now).stream()
        .filter(Effect.Complain.class::isInstance)
        .map(Effect.Complain.class::cast)
        .toList();
  }

  @Test
  void what_takes_long_is_complained_of_once_with_the_reason() {
    reader.find(Position.LATEST, -1, 0);
    assertEquals(ErrorCode.REQUEST_TIMED_OUT, reader.trouble().error());
    assertTrue(complaints(4_900 * MS).isEmpty());
    reader.described(null, null, 4_950 * MS);

    List<Effect.Complain> told = complaints(5_000 * MS);

    assertEquals(1, told.size());
    assertEquals(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, told.get(0).trouble().error());
    assertTrue(complaints(20_000 * MS).isEmpty());
  }

  @Test
  void after_an_answer_the_next_outage_is_complained_of_again() {
    reader.read(5, -1, 100, 0);
    assertEquals(1, complaints(5_000 * MS).size());
    long id = fetchIn(reader.described(TOPIC, led(1, 3), 5_001 * MS)).requestId();
    reader.fetched(id, FetchResponse.of(5, 0, 1, 3), 5_002 * MS);
    reader.read(5, -1, 100, 6_000 * MS);

    assertTrue(complaints(10_900 * MS).isEmpty());
    assertEquals(1, complaints(11_100 * MS).size());
  }

  @Test
  void a_replica_is_not_looked_for_where_none_is() {
    ReaderCore other = new ReaderCore(0, 9, "");
    other.read(5, -1, 100, 0);

    List<Effect> sent = other.described(TOPIC, led(1, 3), 1);

    assertTrue(sent.stream().noneMatch(Effect.SendFetch.class::isInstance), sent::toString);
    assertTrue(other.trouble().reason().contains("broker 9"), other.trouble().reason());
  }

  @Test
  void what_was_given_up_makes_way_for_the_next() {
    reader.read(5, -1, 100, 0);
    long id = fetchIn(reader.described(TOPIC, led(1, 3), 1)).requestId();
    reader.giveUp();
    assertTrue(reader.isIdle());

    reader.read(7, -1, 100, 2);

    assertTrue(reader.fetched(id, FetchResponse.of(5, 0, 1, 3), 3).isEmpty());
  }
}
