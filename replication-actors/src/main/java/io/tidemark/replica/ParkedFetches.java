package io.tidemark.replica;

import io.tidemark.protocol.FetchRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Fetches that wait for data. A replica has one at most: its next one takes the older's place. */
final class ParkedFetches {
  /** Readers beyond these are answered without waiting. */
  static final int MAX_READERS = 1_000;

  /**
   * @param bytesWhenParked bytes that the log had taken by then
   */
  record Parked(long token, FetchRequest request, long deadlineNanos, long bytesWhenParked) {}

  private final Map<Integer, Parked> replicas = new LinkedHashMap<>();
  private final Map<Long, Parked> readers = new LinkedHashMap<>();

  /** False when there is no room. */
  boolean park(Parked parked) {
    if (parked.request().isFromReplica()) {
      replicas.put(parked.request().replicaId(), parked);
      return true;
    }
    if (readers.size() >= MAX_READERS) {
      return false;
    }
    readers.put(parked.token(), parked);
    return true;
  }

  /** A replica that asks anew has given up its older fetch: takes it out, null when none waits. */
  Parked takeOlder(int replicaId) {
    return replicas.remove(replicaId);
  }

  /** Takes out those that are ready. */
  List<Parked> take(Predicate<Parked> ready) {
    List<Parked> taken = new ArrayList<>();
    drain(replicas.values().iterator(), ready, taken);
    drain(readers.values().iterator(), ready, taken);
    return taken;
  }

  private static void drain(Iterator<Parked> all, Predicate<Parked> ready, List<Parked> taken) {
    while (all.hasNext()) {
      Parked parked = all.next();
      if (ready.test(parked)) {
        all.remove();
        taken.add(parked);
      }
    }
  }

  Iterable<Parked> ofReplicas() {
    return replicas.values();
  }

  long nextDeadline() {
    long next = Long.MAX_VALUE;
    for (Parked parked : replicas.values()) {
      next = Math.min(next, parked.deadlineNanos());
    }
    for (Parked parked : readers.values()) {
      next = Math.min(next, parked.deadlineNanos());
    }
    return next;
  }
}
