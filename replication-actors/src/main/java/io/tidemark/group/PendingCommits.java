package io.tidemark.group;

import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Offsets on their way to the coordinator: one request at a time, and what comes meanwhile is
 * gathered into the next.
 */
final class PendingCommits {
  /** Who waits, and until when. */
  private final Map<Long, Long> gathered = new LinkedHashMap<>();

  private final Map<Long, Long> sent = new LinkedHashMap<>();
  private final Map<PartitionId, CommittedOffset> next = new LinkedHashMap<>();
  private final Map<PartitionId, CommittedOffset> inFlight = new LinkedHashMap<>();
  private final Map<PartitionId, Long> done = new HashMap<>();

  /**
   * The group is there already, perhaps by others: what was read here before the partition was
   * elsewhere, and is done only now, must not take it back.
   *
   * @param offset where reading begins, −1 for nowhere yet
   */
  void begin(PartitionId partition, long offset) {
    done.put(partition, offset);
  }

  /**
   * @return false when all of it is committed already
   */
  boolean add(long token, List<CommittedOffset> offsets, long giveUpAt) {
    boolean added = false;
    for (CommittedOffset offset : offsets) {
      if (offset.offset() > done.getOrDefault(offset.partition(), -1L)) {
        next.merge(offset.partition(), offset, PendingCommits::further);
        added = true;
      }
    }
    if (added) {
      gathered.put(token, giveUpAt);
    }
    return added;
  }

  private static CommittedOffset further(CommittedOffset one, CommittedOffset other) {
    return other.offset() > one.offset() ? other : one;
  }

  boolean hasNext() {
    return !next.isEmpty();
  }

  boolean isIdle() {
    return next.isEmpty() && inFlight.isEmpty();
  }

  List<CommittedOffset> send() {
    inFlight.putAll(next);
    next.clear();
    sent.putAll(gathered);
    gathered.clear();
    return List.copyOf(inFlight.values());
  }

  /** Who waited for what was sent. */
  List<Long> committed() {
    inFlight.values().forEach(offset -> done.merge(offset.partition(), offset.offset(), Math::max));
    inFlight.clear();
    List<Long> tokens = List.copyOf(sent.keySet());
    sent.clear();
    return tokens;
  }

  /** What was sent has to be sent again. */
  void notCommitted() {
    inFlight.values().forEach(it -> next.merge(it.partition(), it, PendingCommits::further));
    inFlight.clear();
    gathered.putAll(sent);
    sent.clear();
  }

  /**
   * Nothing of it will be committed.
   *
   * @return who waited
   */
  List<Long> refused() {
    next.clear();
    inFlight.clear();
    return overdue(Long.MAX_VALUE);
  }

  long committedUpTo(PartitionId partition) {
    return done.getOrDefault(partition, -1L);
  }

  /**
   * Nothing of these partitions is committed from here any more: what is under way is not sent
   * again, also when a partition comes back, since others may have come further meanwhile.
   *
   * @return who waits for nothing else then
   */
  List<Long> drop(Predicate<PartitionId> partitions) {
    next.keySet().removeIf(partitions);
    inFlight.keySet().removeIf(partitions);
    done.keySet().removeIf(partitions);
    List<Long> free = new ArrayList<>();
    if (next.isEmpty()) {
      free.addAll(gathered.keySet());
      gathered.clear();
    }
    return free;
  }

  List<Long> overdue(long now) {
    List<Long> tokens = new ArrayList<>();
    for (Map<Long, Long> waiting : List.of(gathered, sent)) {
      for (Iterator<Map.Entry<Long, Long>> all = waiting.entrySet().iterator(); all.hasNext(); ) {
        Map.Entry<Long, Long> each = all.next();
        if (each.getValue() <= now) {
          tokens.add(each.getKey());
          all.remove();
        }
      }
    }
    return tokens;
  }
}
