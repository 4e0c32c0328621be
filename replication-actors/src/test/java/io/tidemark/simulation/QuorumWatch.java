package io.tidemark.simulation;

import io.tidemark.controller.MetadataImage;
import io.tidemark.log.LogEvent.LogTruncated;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.quorum.QuorumEffect;
import io.tidemark.replica.ReplicaEffect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Invariant 13: one leader per epoch, and nothing that was committed is lost. */
final class QuorumWatch {
  private final Invariants invariants;
  private final Simulation sim;
  private final Ghost ghost = new Ghost();
  private final Map<UUID, SimulatedLog> disks = new HashMap<>();
  private final Map<Integer, UUID> leaders = new HashMap<>();
  private final List<MetadataImage> images = new ArrayList<>();
  private List<Voter> voters = List.of();

  QuorumWatch(Simulation sim, Invariants invariants) {
    this.sim = sim;
    this.invariants = invariants;
  }

  /** Of wiped ones too: what they acknowledged, they had. */
  void newDisk(UUID directory, SimulatedLog metadata) {
    disks.put(directory, metadata);
  }

  /** Empty until the quorum has formed. */
  List<Voter> voters() {
    return voters;
  }

  /** The end of all that is committed. */
  long end() {
    return ghost.end();
  }

  void effect(QuorumShell member, QuorumEffect effect) {
    if (effect instanceof QuorumEffect.Fatal fatal) {
      throw violation(member, "stopped: " + fatal.message());
    } else if (effect instanceof QuorumEffect.HighWatermarkMoved moved) {
      committed(member, moved.highWatermark());
    } else if (effect instanceof QuorumEffect.Led led) {
      SimulatedLog log = member.node.metadata();
      long before = ghost.endBefore(led.epoch());
      if (log.state().endOffset() < before) {
        throw violation(
            member, "leads epoch %d without all that older ones committed".formatted(led.epoch()));
      }
      ghost.verify(log, before, "13", member.node);
    } else if (effect instanceof QuorumEffect.Replicate replicate
        && replicate.effect() instanceof ReplicaEffect.Persist persist) {
      if (persist.event() instanceof VotersRecorded recorded) {
        sameVoters(member, recorded.voters());
      } else if (persist.event() instanceof LogTruncated cut
          && cut.endOffset() < member.seenHighWatermark) {
        throw violation(member, "truncates to " + cut.endOffset() + ", below its high watermark");
      }
    }
  }

  void stepped(QuorumShell member) {
    int epoch = member.core().epoch();
    if (epoch < member.seenEpoch) {
      throw violation(member, "went back to epoch " + epoch);
    }
    if (epoch != member.seenEpoch) {
      sim.trace.mix(epoch << 8 | member.node.id);
    }
    member.seenEpoch = epoch;
    ghost.inspect(member.node.metadata(), member.node);
    if (member.core().leaderId() == member.node.id) {
      UUID before = leaders.putIfAbsent(epoch, member.member.directoryId());
      if (before != null && !before.equals(member.member.directoryId())) {
        throw violation(member, "leads epoch " + epoch + " as a second one");
      }
    }
  }

  private void sameVoters(QuorumShell member, List<Voter> recorded) {
    if (voters.isEmpty()) {
      voters = recorded;
    } else if (!voters.equals(recorded)) {
      throw violation(member, "records other voters: " + recorded + " instead of " + voters);
    }
  }

  private void committed(QuorumShell member, long highWatermark) {
    if (highWatermark < member.seenHighWatermark) {
      throw violation(member, "its high watermark went back to " + highWatermark);
    }
    member.seenHighWatermark = highWatermark;
    int known = ghost.committed().size();
    if (highWatermark > ghost.end()) {
      ghost.commit(member.node.metadata(), highWatermark);
    }
    for (int i = known; i < ghost.committed().size(); i++) {
      Stored batch = ghost.committed().get(i);
      isFlushedByMajority(member, batch);
      MetadataImage before = images.isEmpty() ? MetadataImage.EMPTY : images.get(i - 1);
      MetadataImage after = sim.metadata.apply(before, batch.batch());
      images.add(after);
      invariants.committed(after);
    }
    ghost.verify(member.node.metadata(), highWatermark, "13", member.node);
  }

  private void isFlushedByMajority(QuorumShell member, Stored batch) {
    long holders =
        voters.stream().filter(voter -> disks.get(voter.directoryId()).holdsFlushed(batch)).count();
    if (holders <= voters.size() / 2) {
      throw violation(member, "calls %s committed, which %d voters have".formatted(batch, holders));
    }
  }

  /** The fold of what is committed below: the same for everyone, so it is made once. */
  MetadataImage imageAt(QuorumShell member, long highWatermark) {
    int low = 0;
    int high = ghost.committed().size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ghost.committed().get(middle).end() <= highWatermark) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? MetadataImage.EMPTY : images.get(low - 1);
  }

  private static Violation violation(QuorumShell member, String what) {
    return new Violation("13", "member " + member.node.id + " " + what);
  }
}
