package io.tidemark.simulation;

import io.tidemark.controller.Broker;
import io.tidemark.log.ProducerStates.Verdict;
import io.tidemark.protocol.ControllerRequest;
import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.EpochEndRequest;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.quorum.QuorumCore;
import io.tidemark.quorum.QuorumMember;
import io.tidemark.quorum.QuorumSettings;
import io.tidemark.quorum.SimQuorum;
import io.tidemark.record.CorruptRecordException;
import io.tidemark.record.RecordBatch;
import io.tidemark.replica.ReplicaCore;
import io.tidemark.replica.ReplicaEffect.AnswerProduce;
import io.tidemark.replica.ReplicaInput;
import io.tidemark.replica.ReplicaInput.EpochEndArrived;
import io.tidemark.replica.ReplicaInput.FetchArrived;
import io.tidemark.replica.ReplicaInput.ListOffsetsArrived;
import io.tidemark.replica.ReplicaInput.ProduceArrived;
import io.tidemark.replica.ReplicaSettings;
import io.tidemark.replica.SimReplica;
import io.tidemark.replica.Throttle;

/** How a leader, and whoever makes one, can go wrong: in what it commits, and in whom it counts. */
final class LeaderMistakes {
  private LeaderMistakes() {}

  static final class CommitPreviousEpoch extends Rules {
    @Override
    QuorumCore quorum(QuorumMember member, QuorumSettings settings) {
      return SimQuorum.committingPreviousEpochs(member, settings);
    }
  }

  static final class ExpandWithoutEpochStart extends Rules {
    @Override
    ReplicaCore replica(
        int self, PartitionId partition, ReplicaSettings settings, Throttle throttle) {
      return SimReplica.expandingWithoutEpochStart(self, partition, settings, throttle);
    }
  }

  static final class IgnorePendingIsr extends Rules {
    @Override
    ReplicaCore replica(
        int self, PartitionId partition, ReplicaSettings settings, Throttle throttle) {
      return SimReplica.committingWithoutProposed(self, partition, settings, throttle);
    }
  }

  /** The controller takes a proposal that was made for an older state of the partition. */
  static final class StaleAlterPartition extends Rules {
    @Override
    ControllerRequest controllerRequest(QuorumShell controller, ControllerRequest request) {
      if (!(request instanceof AlterPartition alter)) {
        return request;
      }
      PartitionState state = controller.image().partition(alter.partition());
      return state == null || alter.partitionEpoch() >= state.partitionEpoch()
          ? alter
          : new AlterPartition(
              alter.partition(),
              alter.leaderId(),
              alter.brokerEpoch(),
              alter.leaderEpoch(),
              state.partitionEpoch(),
              alter.isr(),
              alter.recovering());
    }
  }

  /** A broker goes by metadata that speaks of an older incarnation of it. */
  static final class SameEpochAfterRestart extends Rules {
    @Override
    long viewEpoch(BrokerShell broker) {
      Broker known = broker.image().brokers().get(broker.node().id);
      return known == null ? -1 : known.epoch();
    }
  }

  /** A retry is answered as soon as the leader has seen the batch before. */
  static final class DuplicateAckedBeforeCommit extends Rules {
    @Override
    void input(ReplicaShell replica, ReplicaInput input) {
      if (input instanceof ProduceArrived produce
          && replica.core().isLeader()
          && verdict(replica, produce.request()) instanceof Verdict.Duplicate duplicate) {
        ProduceResponse response =
            new ProduceResponse(
                ErrorCode.NONE,
                duplicate.baseOffset(),
                replica.log.state().startOffset(),
                new CurrentLeader(replica.node.id, replica.core().leaderEpoch()),
                "");
        replica.perform(new AnswerProduce(produce.token(), response));
      } else {
        super.input(replica, input);
      }
    }

    private static Verdict verdict(ReplicaShell replica, ProduceRequest request) {
      try {
        RecordBatch batch = RecordBatch.at(request.batches(), request.batches().position());
        return replica.log.state().producers().check(batch);
      } catch (CorruptRecordException e) {
        return null;
      }
    }
  }

  /** Whoever reaches a replica is taken to mean it. */
  static final class TopicIdIgnored extends Rules {
    @Override
    void input(ReplicaShell replica, ReplicaInput input) {
      super.input(replica, redirected(replica.partition, input));
    }

    private static ReplicaInput redirected(PartitionId partition, ReplicaInput input) {
      if (input instanceof FetchArrived fetch) {
        return new FetchArrived(fetch.token(), Requests.to(partition, fetch.request()));
      } else if (input instanceof ProduceArrived produce) {
        ProduceRequest r = produce.request();
        return new ProduceArrived(
            produce.token(), new ProduceRequest(partition, r.acks(), r.batches()));
      } else if (input instanceof EpochEndArrived ask) {
        EpochEndRequest r = ask.request();
        return new EpochEndArrived(
            ask.token(), new EpochEndRequest(partition, r.leaderEpoch(), r.epoch()));
      } else if (input instanceof ListOffsetsArrived ask) {
        ListOffsetsRequest r = ask.request();
        return new ListOffsetsArrived(
            ask.token(),
            new ListOffsetsRequest(partition, r.leaderEpoch(), r.position(), r.timestamp()));
      }
      return input;
    }
  }
}
