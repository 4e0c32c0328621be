package io.tidemark.quorum;

import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.quorum.QuorumSimulation.Node;
import io.tidemark.replica.ReplicaEffect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Invariant 13 and what it rests on, judged by an onlooker who sees all disks at once. */
final class QuorumInvariants {
  private final QuorumSimulation simulation;
  private final Map<Integer, UUID> leaders = new HashMap<>();
  private final Map<Integer, Long> toldHighWatermarks = new HashMap<>();
  private final Map<Integer, Integer> epochs = new HashMap<>();
  private final List<String> committed = new ArrayList<>();
  private final Set<List<Voter>> known = new HashSet<>();
  private List<Voter> voters = List.of();

  QuorumInvariants(QuorumSimulation simulation) {
    this.simulation = simulation;
  }

  List<Voter> voters() {
    return voters;
  }

  int committedRecords() {
    return committed.size();
  }

  void restarted(Node node) {
    toldHighWatermarks.remove(node.id);
    epochs.remove(node.id);
  }

  void check(Node node, List<QuorumEffect> effects) {
    for (QuorumEffect effect : effects) {
      if (effect instanceof QuorumEffect.Fatal fatal) {
        fail(node, "stopped: " + fatal.message());
      } else if (effect instanceof QuorumEffect.SnapshotLoaded loaded) {
        isCommitted(node, loaded.snapshot().endOffset());
      } else if (effect instanceof QuorumEffect.VotersAppended) {
        changedByOne(node);
      } else if (effect instanceof QuorumEffect.HighWatermarkMoved moved) {
        committedUpTo(node, moved.highWatermark());
      } else if (effect instanceof QuorumEffect.Led led) {
        holdsAllCommitted(node, led.epoch());
      } else if (effect instanceof QuorumEffect.Replicate replicate
          && replicate.effect() instanceof ReplicaEffect.Persist persist) {
        if (persist.event() instanceof VotersRecorded recorded) {
          knownVoters(node, recorded.voters());
        } else if (persist.event() instanceof LogTruncated cut
            && cut.endOffset() < toldHighWatermarks.getOrDefault(node.id, 0L)) {
          fail(node, "truncates to " + cut.endOffset() + ", below its high watermark");
        }
      }
    }
    epochIsNewer(node);
    if (node.core.leaderId() == node.id) {
      UUID before = leaders.putIfAbsent(node.core.epoch(), node.member.directoryId());
      if (before != null && !before.equals(node.member.directoryId())) {
        fail(node, "leads epoch " + node.core.epoch() + " as a second one");
      }
    }
  }

  private void epochIsNewer(Node node) {
    int epoch = node.core.epoch();
    if (epochs.getOrDefault(node.id, 0) > epoch) {
      fail(node, "went back to epoch " + epoch);
    }
    epochs.put(node.id, epoch);
  }

  /** A member learns voters that were agreed at the formation, or that a leader appended. */
  private void knownVoters(Node node, List<Voter> recorded) {
    if (voters.isEmpty()) {
      voters = recorded;
      known.add(recorded);
    } else if (!known.contains(recorded)) {
      fail(node, "records voters that never were: " + recorded);
    }
  }

  /** Any two sets in a row have a majority in common when they differ in one voter. */
  private void changedByOne(Node node) {
    List<Voter> next = node.core.voters();
    boolean one =
        known.stream()
            .anyMatch(
                before ->
                    Math.abs(before.size() - next.size()) == 1
                        && (before.containsAll(next) || next.containsAll(before)));
    if (!one) {
      fail(node, "changes more than one voter, to " + next);
    }
    known.add(next);
  }

  /** A snapshot stands for exactly what was committed. */
  private void isCommitted(Node node, long endOffset) {
    long told = toldHighWatermarks.getOrDefault(node.id, 0L);
    if (endOffset < told || endOffset > committed.size()) {
      fail(node, "loads a snapshot up to " + endOffset + " at high watermark " + told);
    }
    if (!node.applied.subList(0, (int) endOffset).equals(committed.subList(0, (int) endOffset))) {
      fail(node, "loads a snapshot with other records than the committed ones");
    }
    toldHighWatermarks.put(node.id, endOffset);
  }

  private void committedUpTo(Node node, long highWatermark) {
    long told = toldHighWatermarks.getOrDefault(node.id, 0L);
    if (highWatermark < told) {
      fail(node, "its high watermark went back from " + told + " to " + highWatermark);
    }
    for (long offset = told; offset < highWatermark; offset++) {
      String record = node.disk.identity(offset);
      if (record == null) {
        fail(node, "calls offset " + offset + " committed, which is not on its disk");
      }
      if (offset < committed.size()) {
        if (!committed.get((int) offset).equals(record)) {
          fail(node, "has another record committed at offset " + offset);
        }
      } else {
        isFlushedByMajority(node, offset, record);
        committed.add(record);
      }
    }
    toldHighWatermarks.put(node.id, highWatermark);
  }

  private void isFlushedByMajority(Node node, long offset, String record) {
    List<Voter> now = node.core.voters();
    long holders =
        now.stream()
            .filter(voter -> record.equals(simulation.disk(voter.directoryId()).identity(offset)))
            .count();
    if (holders <= now.size() / 2) {
      fail(node, "calls offset " + offset + " committed, which " + holders + " voters have");
    }
  }

  private void holdsAllCommitted(Node node, int epoch) {
    for (int offset = 0; offset < committed.size(); offset++) {
      boolean inSnapshot = offset < node.disk.state().startOffset();
      String held = inSnapshot ? node.applied.get(offset) : node.disk.identity(offset);
      if (!committed.get(offset).equals(held)) {
        fail(node, "leads epoch " + epoch + " without the committed record " + offset);
      }
    }
  }

  private void fail(Node node, String what) {
    throw new AssertionError("at " + simulation.nowMs() + " ms: member " + node.id + " " + what);
  }
}
