package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.protocol.ControllerRequest.AlterPartition;
import io.tidemark.protocol.ControllerRequest.IsrMember;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.PartitionAltered;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Takes or refuses a leader's proposal of another ISR (KIP-497, KIP-903, KIP-966). */
final class IsrAlteration {
  private IsrAlteration() {}

  static ControllerResponse alter(AlterPartition request, Changes changes) {
    PartitionState state = changes.image().partition(request.partition());
    if (state == null) {
      return refuse(ErrorCode.UNKNOWN_TOPIC_ID, "partition %s does not exist", request.partition());
    }
    ControllerResponse refusal = checkEpochs(request, state, changes.image());
    if (refusal == null) {
      refusal = checkMembers(request, state, changes.image());
    }
    if (refusal != null) {
      return refusal;
    }
    Set<Integer> isr =
        request.isr().stream().map(IsrMember::brokerId).collect(Collectors.toUnmodifiableSet());
    changes.reelect(
        request.partition(),
        (election, before) -> election.alter(before, isr, request.recovering()));
    return new PartitionAltered(
        ErrorCode.NONE, request.partition(), changes.image().partition(request.partition()));
  }

  private static ControllerResponse checkEpochs(
      AlterPartition request, PartitionState state, MetadataImage image) {
    if (request.leaderEpoch() < state.leaderEpoch()) {
      return refuse(
          ErrorCode.FENCED_LEADER_EPOCH,
          "partition %s is in leader epoch %d, not %d",
          request.partition(),
          state.leaderEpoch(),
          request.leaderEpoch());
    }
    if (request.leaderEpoch() > state.leaderEpoch()) {
      return behind(request, "leader epoch", request.leaderEpoch(), state.leaderEpoch());
    }
    if (state.leader() == PartitionState.NO_LEADER || request.leaderId() != state.leader()) {
      return refuse(
          ErrorCode.INVALID_REQUEST,
          "partition %s is led by %d, not by %d",
          request.partition(),
          state.leader(),
          request.leaderId());
    }
    long brokerEpoch = image.brokers().get(state.leader()).epoch();
    if (request.brokerEpoch() != brokerEpoch) {
      return refuse(
          ErrorCode.STALE_BROKER_EPOCH,
          "broker %d has epoch %d, not %d",
          request.leaderId(),
          brokerEpoch,
          request.brokerEpoch());
    }
    if (request.partitionEpoch() < state.partitionEpoch()) {
      return refuse(
          ErrorCode.INVALID_UPDATE_VERSION,
          "partition %s is in partition epoch %d, not %d; wait for its metadata",
          request.partition(),
          state.partitionEpoch(),
          request.partitionEpoch());
    }
    if (request.partitionEpoch() > state.partitionEpoch()) {
      return behind(request, "partition epoch", request.partitionEpoch(), state.partitionEpoch());
    }
    return null;
  }

  private static ControllerResponse checkMembers(
      AlterPartition request, PartitionState state, MetadataImage image) {
    List<Integer> proposed =
        request.isr() == null
            ? List.of()
            : request.isr().stream().map(IsrMember::brokerId).toList();
    boolean duplicates = Set.copyOf(proposed).size() < proposed.size();
    if (duplicates
        || !proposed.contains(state.leader())
        || !state.replicas().containsAll(proposed)) {
      return refuse(
          ErrorCode.INVALID_REQUEST,
          "ISR %s of partition %s must hold its leader %d and be among its replicas %s, each once",
          proposed,
          request.partition(),
          state.leader(),
          state.replicas());
    }
    if (request.recovering() && (!state.recovering() || proposed.size() > 1)) {
      return refuse(
          ErrorCode.INVALID_REQUEST,
          "partition %s: only an unclean election starts recovery, and only its leader is in sync"
              + " until it ends",
          request.partition());
    }
    for (IsrMember member : request.isr()) {
      Broker broker = image.brokers().get(member.brokerId());
      if (member.brokerId() != state.leader()
          && (broker == null || !broker.eligible() || broker.epoch() != member.brokerEpoch())) {
        return refuse(
            ErrorCode.INELIGIBLE_REPLICA,
            "broker %d cannot be in sync in partition %s: it is fenced, shutting down, or was"
                + " seen in another incarnation than the present one",
            member.brokerId(),
            request.partition());
      }
    }
    return null;
  }

  /** A newer epoch than the active controller's can only come from a newer controller. */
  private static ControllerResponse behind(
      AlterPartition request, String which, int theirs, int ours) {
    return refuse(
        ErrorCode.NOT_CONTROLLER,
        "partition %s has %s %d here, %d there: this controller was replaced; ask the new one",
        request.partition(),
        which,
        ours,
        theirs);
  }
}
