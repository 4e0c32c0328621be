package io.tidemark.simulation;

import io.tidemark.log.LogEvent;
import io.tidemark.log.LogEvent.BatchesAppended;
import io.tidemark.log.LogEvent.QuorumVote;
import io.tidemark.log.LogEvent.VoteRecorded;
import io.tidemark.log.LogState;
import io.tidemark.log.ProducerStates;
import io.tidemark.protocol.PartitionId;

/** What is called done before it is, and what is forgotten. */
final class DiskMistakes {
  private DiskMistakes() {}

  /** A replica's log end counts when the write is begun. */
  static final class EndBeforePersist extends Rules {
    @Override
    boolean tellsEarly(Node node, SimulatedLog log, LogEvent event) {
      return log != node.metadata();
    }
  }

  /**
   * A follower fetches on while its disk writes, and its leader takes the position of its fetch for
   * what its disk holds.
   */
  static final class FetchPositionCountsAsAck extends Rules {
    @Override
    boolean tellsEarly(Node node, SimulatedLog log, LogEvent event) {
      return log != node.metadata() && (event == null || !leads(node, log.partition()));
    }

    private static boolean leads(Node node, PartitionId partition) {
      ReplicaShell replica = node.broker().replica(partition);
      return replica != null && replica.core().leaderId() == node.id;
    }
  }

  /** The quorum counts records that a loss of power takes away. */
  static final class CommitUnflushed extends Rules {
    @Override
    boolean tellsEarly(Node node, SimulatedLog log, LogEvent event) {
      return log == node.metadata() && (event == null || event instanceof BatchesAppended);
    }
  }

  /** A voter forgets its epoch and its vote when its process ends. */
  static final class VoteNotPersisted extends Rules {
    @Override
    LogState recovered(LogState metadataLog) {
      return metadataLog.apply(new VoteRecorded(QuorumVote.NONE));
    }
  }

  /** A follower does not learn of producers from what it fetches, nor from its disk. */
  static final class NoProducerState extends Rules {
    @Override
    LogState told(LogState log) {
      return new LogState(
          log.sequenceNr(),
          log.startOffset(),
          log.endOffset(),
          log.highWatermark(),
          log.bytes(),
          log.epochs(),
          ProducerStates.EMPTY,
          log.quorum(),
          log.layout());
    }
  }
}
