package io.tidemark.groupkill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.groupkill.GroupLedger.Session;
import io.tidemark.groupkill.MemberEvent.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told of a group that keeps its promises passes, and what breaks one of them does not. */
class GroupCheckTest {
  private static final int PARTITION = 2;

  private final GroupLedger ledger = new GroupLedger();
  private final Session first = ledger.newSession("first");
  private final Session second = ledger.newSession("second");
  private long now;

  private void acknowledge(int count) {
    for (int i = 0; i < count; i++) {
      ledger.acknowledged(PARTITION, i, 10 * i);
    }
  }

  private void tell(Session session, Kind kind) {
    ledger.add(session, new MemberEvent(kind, ++now, PARTITION, -1, -1));
  }

  private void consume(Session session, int from, int to) {
    for (int i = from; i <= to; i++) {
      ledger.add(session, new MemberEvent(Kind.CONSUMED, ++now, PARTITION, i, 10 * i));
    }
  }

  private void commit(Session session, int upTo) {
    ledger.add(session, new MemberEvent(Kind.COMMITTED, ++now, PARTITION, upTo, -1));
  }

  private void leave(Session session) {
    ledger.add(session, new MemberEvent(Kind.LEFT, ++now, -1, -1, -1));
  }

  /** The first member reads up to 5. */
  private void readByFirst(int committed) {
    tell(first, Kind.ASSIGNED);
    consume(first, 0, 5);
    commit(first, committed);
  }

  /** The second one goes on to the end, and leaves in order. */
  private void readBySecond(int from) {
    tell(second, Kind.ASSIGNED);
    consume(second, from, 9);
    commit(second, 9);
    leave(second);
    acknowledge(10);
  }

  private void assertKept(int repeated) {
    GroupCheck check = ledger.check();
    assertEquals(List.of(), check.violations());
    assertEquals(repeated, check.repeated());
  }

  private void assertBroken(String what) {
    List<String> found = ledger.check().violations();
    assertTrue(found.stream().anyMatch(it -> it.contains(what)), found::toString);
  }

  @Test
  void a_partition_is_handed_over_in_order() {
    readByFirst(5);
    tell(first, Kind.REVOKED);
    leave(first);
    readBySecond(6);

    assertKept(0);
  }

  @Test
  void what_a_killed_member_has_not_committed_is_read_again() {
    readByFirst(3);
    ledger.killed(first);
    readBySecond(4);

    assertKept(2);
  }

  @Test
  void what_is_given_up_when_a_partition_is_lost_is_not_committed() {
    readByFirst(3);
    tell(first, Kind.LOST);
    commit(first, 5);
    consume(first, 6, 6);
    leave(first);
    readBySecond(4);

    assertKept(3);
  }

  @Test
  void a_member_that_does_not_know_yet_what_it_has_lost_may_read_what_another_one_reads() {
    readByFirst(5);
    tell(second, Kind.ASSIGNED);
    consume(second, 6, 8);
    consume(first, 6, 7);
    tell(first, Kind.LOST);
    leave(first);
    consume(second, 9, 9);
    commit(second, 9);
    leave(second);
    acknowledge(10);

    assertKept(2);
  }

  @Test
  void what_a_stream_had_taken_may_come_out_of_it_behind_the_loss_of_its_partition() {
    tell(first, Kind.ASSIGNED);
    tell(second, Kind.ASSIGNED);
    consume(second, 0, 9);
    tell(first, Kind.LOST);
    consume(first, 0, 2);
    leave(first);
    commit(second, 9);
    leave(second);
    acknowledge(10);

    assertKept(3);
  }

  @Test
  void a_killed_members_commit_holds() {
    readByFirst(3);
    ledger.killed(first);
    readBySecond(3);

    assertBroken("although all below 4 was committed");
  }

  @Test
  void nothing_is_passed_over_between_members() {
    readByFirst(5);
    leave(first);
    readBySecond(7);

    assertBroken("nobody had read 6");
    assertBroken("6 of partition 2 is acknowledged, and was not consumed");
  }

  @Test
  void nothing_is_passed_over_by_a_member() {
    readByFirst(5);
    consume(first, 7, 7);
    commit(first, 7);
    leave(first);
    readBySecond(8);

    assertBroken("then 7");
  }

  @Test
  void a_member_does_not_go_back() {
    readByFirst(5);
    consume(first, 5, 5);
    leave(first);
    readBySecond(6);

    assertBroken("then 5");
  }

  @Test
  void nothing_is_read_again_after_an_orderly_end() {
    readByFirst(3);
    leave(first);
    readBySecond(4);

    assertBroken("committed no more than 3");
    assertBroken("4 was read again");
  }

  @Test
  void the_end_is_read_too() {
    readByFirst(5);
    leave(first);
    readBySecond(6);
    acknowledge(11);

    assertBroken("10 of partition 2 is acknowledged, and was not consumed");
  }

  @Test
  void it_is_the_record_that_was_acknowledged_there() {
    readByFirst(5);
    leave(first);
    readBySecond(6);
    ledger.acknowledged(PARTITION, 7, 75);

    assertBroken("with 70 at 7; acknowledged is 75");
  }

  @Test
  void records_lie_in_the_order_of_writing() {
    acknowledge(1);
    ledger.acknowledged(PARTITION, 1, 0);

    assertBroken("1 of partition 2 is not in the order of writing");
  }

  @Test
  void nobody_reads_what_it_was_not_assigned() {
    consume(first, 0, 5);
    leave(first);
    readBySecond(6);

    assertBroken("was not assigned");
  }

  @Test
  void every_member_comes_to_an_end() {
    readByFirst(5);

    assertBroken("first neither left nor was killed");
  }
}
