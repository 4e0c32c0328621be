package io.tidemark.quorum;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogEvent.Voter;
import io.tidemark.log.LogEvent.VotersRecorded;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.QuorumMessage.VoteRequest;
import io.tidemark.protocol.QuorumMessage.VoteResponse;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.replica.ReplicaEffect;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Member 1 of three voters, with the test as the other two and as its disk. */
final class LoneMember {
  static final List<Voter> VOTERS =
      List.of(
          new Voter(1, directory(1), "host1:1"),
          new Voter(2, directory(2), "host2:1"),
          new Voter(3, directory(3), "host3:1"));

  final QuorumCore core;
  final SimulatedDisk disk = new SimulatedDisk();
  boolean flushesAtOnce = true;
  private long now;
  private List<QuorumEffect> last = List.of();

  private LoneMember(UUID ownDirectory) {
    List<String> addresses = VOTERS.stream().map(Voter::address).toList();
    this.core =
        new QuorumCore(
            new QuorumMember(1, ownDirectory, "host1:1", addresses), QuorumSettings.DEFAULT);
  }

  static UUID directory(int id) {
    return new UUID(0, id);
  }

  static LoneMember withEmptyDisk() {
    LoneMember member = new LoneMember(directory(1));
    member.give(new QuorumInput.LogRecovered(member.disk.state()));
    return member;
  }

  /** One whose disk holds the voters and then these events. */
  static LoneMember restartedWith(LogEvent... events) {
    return restarted(directory(1), events);
  }

  static LoneMember restarted(UUID directory, LogEvent... events) {
    LoneMember member = new LoneMember(directory);
    member.onDisk(new VotersRecorded(VOTERS));
    for (LogEvent event : events) {
      member.onDisk(event);
    }
    member.give(new QuorumInput.LogRecovered(member.disk.state()));
    return member;
  }

  /** Elected in epoch 1 by member 2, with its own first record on its own disk only. */
  static LoneMember leading() {
    LoneMember member = restartedWith();
    member.pass(1_000);
    member.give(new QuorumInput.VoteAnswered(answer(2, 0, true, true)));
    member.give(new QuorumInput.VoteAnswered(answer(2, 1, true, false)));
    return member;
  }

  static LogEvent votedFor(int epoch, int candidate) {
    return new VoteRecorded(new QuorumVote(epoch, -1, candidate, directory(candidate)));
  }

  static LogEvent knewLeader(int epoch, int leader) {
    return new VoteRecorded(new QuorumVote(epoch, leader, -1, null));
  }

  static LogEvent records(int epoch, long from, int count, long highWatermark) {
    RecordBatchBuilder builder = new RecordBatchBuilder(Compression.NONE, 64);
    for (int i = 0; i < count; i++) {
      builder.append(0, null, ByteBuffer.wrap(new byte[] {(byte) i}), List.of());
    }
    return new BatchesAppended(builder.build(from, epoch), highWatermark);
  }

  static VoteRequest request(int epoch, int candidate, int lastEpoch, long end, boolean preVote) {
    return new VoteRequest(
        epoch, candidate, directory(candidate), 1, directory(1), lastEpoch, end, preVote);
  }

  static VoteResponse answer(int voter, int epoch, boolean granted, boolean preVote) {
    return new VoteResponse(ErrorCode.NONE, voter, epoch, -1, granted, preVote);
  }

  static FetchRequest fetch(int id, UUID directory, int epoch, long offset, int lastEpoch) {
    return new FetchRequest(
        id,
        -1,
        directory,
        500,
        1,
        PartitionId.METADATA,
        epoch,
        offset,
        offset,
        lastEpoch,
        0,
        1 << 20,
        offset,
        "");
  }

  private void onDisk(LogEvent event) {
    disk.write(event);
    disk.flush();
  }

  LoneMember give(QuorumInput input) {
    last = new ArrayList<>();
    step(input);
    return this;
  }

  private void step(QuorumInput input) {
    List<QuorumEffect> effects = core.on(input, now, 42);
    last.addAll(effects);
    for (QuorumEffect effect : effects) {
      if (effect instanceof QuorumEffect.Replicate replicate
          && replicate.effect() instanceof ReplicaEffect.Persist persist) {
        disk.write(persist.event());
        if (flushesAtOnce) {
          disk.flush();
          step(new QuorumInput.LogPersisted(disk.state()));
        }
      }
    }
  }

  LoneMember flush() {
    disk.flush();
    return give(new QuorumInput.LogPersisted(disk.state()));
  }

  LoneMember pass(long ms) {
    now += ms * 1_000_000;
    return give(new QuorumInput.TimePassed());
  }

  VoteResponse vote(VoteRequest request) {
    give(new QuorumInput.VoteArrived(7, request));
    return only(QuorumEffect.AnswerVote.class).response();
  }

  /** What the last input brought about. */
  <E extends QuorumEffect> List<E> all(Class<E> type) {
    return last.stream().filter(type::isInstance).map(type::cast).toList();
  }

  <E extends QuorumEffect> E only(Class<E> type) {
    List<E> found = all(type);
    if (found.size() != 1) {
      throw new AssertionError("expected one " + type.getSimpleName() + " in " + last);
    }
    return found.get(0);
  }

  <E extends ReplicaEffect> List<E> replica(Class<E> type) {
    return all(QuorumEffect.Replicate.class).stream()
        .map(QuorumEffect.Replicate::effect)
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }
}
