package io.tidemark.replica;

import static io.tidemark.replica.ScenarioBatches.appended;
import static io.tidemark.replica.ScenarioBatches.numbered;
import static io.tidemark.replica.ScenarioBatches.records;
import static io.tidemark.replica.ScenarioBatches.stored;

import io.tidemark.log.LeaderEpochs;
import io.tidemark.log.LogEvent;
import io.tidemark.log.LogState;
import io.tidemark.protocol.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** One replica of a scenario: a core and its disk, and what it is told of the world. */
final class ScenarioReplica {
  final int id;
  final ScenarioDisk disk = new ScenarioDisk();
  final List<String> warnings = new ArrayList<>();
  ReplicaCore core;
  long brokerEpoch;
  boolean up;
  boolean eligible = true;
  String rack = "";
  Throttle throttle = Throttle.at(0);
  boolean isolated;

  ScenarioReplica(int id) {
    this.id = id;
    this.brokerEpoch = 10L * id;
  }

  void newCore(PartitionId partition, ReplicaSettings settings) {
    core = new ReplicaCore(id, partition, settings, throttle);
    up = true;
  }

  /** Before the start: records of one epoch at the log's end. */
  ScenarioReplica with(int epoch, String... values) {
    LogState log = disk.state();
    return with(appended(log.highWatermark(), stored(epoch, log.endOffset(), values)));
  }

  /** Before the start: numbered records of one epoch up to an offset, not included. */
  ScenarioReplica upTo(long end, int epoch) {
    LogState log = disk.state();
    int count = (int) (end - log.endOffset());
    return with(appended(log.highWatermark(), numbered(epoch, log.endOffset(), count)));
  }

  ScenarioReplica with(LogEvent event) {
    disk.put(event);
    return this;
  }

  ScenarioReplica withHighWatermark(long highWatermark) {
    return with(new LogEvent.HighWatermarkCheckpointed(highWatermark));
  }

  ScenarioReplica startingAt(long offset) {
    return with(new LogEvent.LogRestarted(offset));
  }

  long end() {
    return disk.state().endOffset();
  }

  long start() {
    return disk.state().startOffset();
  }

  long highWatermark() {
    return core.highWatermark();
  }

  /** All that is served, as {@code offset@epoch value}. */
  List<String> log() {
    LogState log = disk.state();
    return records(disk.read(log, log.startOffset(), log.endOffset(), Integer.MAX_VALUE));
  }

  /** As {@code epoch@start}, the oldest first. */
  String epochs() {
    return disk.state().epochs().entries().stream()
        .map((LeaderEpochs.Entry e) -> e.epoch() + "@" + e.startOffset())
        .collect(Collectors.joining(" "));
  }
}
