package io.tidemark.groupkill;

import io.tidemark.groupkill.MemberEvent.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** What was acknowledged to the producer, and what the members of the group have told. */
final class GroupLedger {

  /** One life of a member in the group. */
  static final class Session {
    final String name;
    final List<MemberEvent> events = new ArrayList<>();
    private final Set<Integer> held = new HashSet<>();
    private long consumed;
    private boolean killed;

    private Session(String name) {
      this.name = name;
    }

    boolean wasKilled() {
      return killed;
    }
  }

  private final List<Session> sessions = new ArrayList<>();
  private final Map<Integer, NavigableMap<Long, Integer>> acknowledged = new TreeMap<>();

  /** By partition, what is acknowledged and was not consumed by anybody. */
  private final Map<Integer, Set<Long>> missing = new HashMap<>();

  /** What was consumed before it was acknowledged, or more than once. */
  private final Map<Integer, Set<Long>> early = new HashMap<>();

  private final List<String> faults = new ArrayList<>();

  synchronized Session newSession(String name) {
    Session session = new Session(name);
    sessions.add(session);
    return session;
  }

  synchronized void add(Session session, MemberEvent event) {
    session.events.add(event);
    int partition = event.partition();
    switch (event.kind()) {
      case ASSIGNED -> session.held.add(partition);
      case REVOKED, LOST -> session.held.remove(partition);
      case CONSUMED -> {
        session.consumed++;
        settle(missing, early, partition, event.offset());
      }
      case FAILED -> faults.add(session.name + " has failed; its log says why");
      default -> {}
    }
  }

  synchronized void killed(Session session) {
    session.killed = true;
    session.held.clear();
  }

  synchronized void fault(String what) {
    faults.add(what);
  }

  synchronized void acknowledged(int partition, long offset, int number) {
    acknowledged.computeIfAbsent(partition, key -> new TreeMap<>()).put(offset, number);
    settle(early, missing, partition, offset);
  }

  /** What waited there has come; what did not, waits here. */
  private static void settle(
      Map<Integer, Set<Long>> there, Map<Integer, Set<Long>> here, int partition, long offset) {
    Set<Long> awaited = there.computeIfAbsent(partition, key -> new HashSet<>());
    if (!awaited.remove(offset)) {
      here.computeIfAbsent(partition, key -> new HashSet<>()).add(offset);
    }
  }

  synchronized long acknowledged() {
    return acknowledged.values().stream().mapToLong(Map::size).sum();
  }

  /** By partition: behind the last record that is acknowledged. */
  synchronized Map<Integer, Long> ends() {
    Map<Integer, Long> ends = new TreeMap<>();
    acknowledged.forEach((partition, records) -> ends.put(partition, records.lastKey() + 1));
    return ends;
  }

  /** How many of these partitions' records are acknowledged and not consumed yet. */
  synchronized int missing(Set<Integer> partitions) {
    return partitions.stream().mapToInt(it -> missing.getOrDefault(it, Set.of()).size()).sum();
  }

  /** Whether all records are consumed that are acknowledged below these ends. */
  synchronized boolean isConsumed(Map<Integer, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(
            end ->
                missing.getOrDefault(end.getKey(), Set.of()).stream()
                    .allMatch(offset -> offset >= end.getValue()));
  }

  /** What it has now. */
  synchronized Set<Integer> held(Session session) {
    return Set.copyOf(session.held);
  }

  synchronized long consumed(Session session) {
    return session.consumed;
  }

  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  synchronized long count(Kind kind) {
    return sessions.stream()
        .flatMap(session -> session.events.stream())
        .filter(event -> event.kind() == kind)
        .count();
  }

  /** When nobody adds to it any more. */
  synchronized GroupCheck check() {
    return new GroupCheck(sessions, acknowledged);
  }
}
