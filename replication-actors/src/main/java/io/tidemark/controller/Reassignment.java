package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.protocol.ControllerRequest.AlterPartitionReassignment;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.Done;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.PartitionState;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Starts, replaces and cancels the reassignment of a partition to other replicas (KIP-455). */
final class Reassignment {
  private Reassignment() {}

  static ControllerResponse alter(AlterPartitionReassignment request, Changes changes) {
    PartitionState state = changes.image().partition(request.partition());
    if (state == null) {
      return refuse(ErrorCode.INVALID_REQUEST, "partition %s does not exist", request.partition());
    }
    Assignment present = Assignment.of(state);
    if (request.replicas() == null && present.original().equals(present.replicas())) {
      return refuse(
          ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
          "partition %s is not being reassigned; its replicas are %s",
          request.partition(),
          state.replicas());
    }
    List<Integer> target = request.replicas() == null ? present.original() : request.replicas();
    Set<Integer> known = changes.image().brokers().keySet();
    if (target.isEmpty()
        || Set.copyOf(target).size() < target.size()
        || !known.containsAll(target)) {
      return refuse(
          ErrorCode.INVALID_REPLICA_ASSIGNMENT,
          "partition %s on %s; allowed: one or more of the registered brokers %s, each once",
          request.partition(),
          target,
          known);
    }
    Assignment wanted = present.to(target);
    Set<Integer> complete = new HashSet<>(state.isr());
    complete.addAll(state.elr());
    if (!complete.isEmpty() && Collections.disjoint(complete, wanted.replicas())) {
      return refuse(
          ErrorCode.INVALID_REPLICA_ASSIGNMENT,
          "partition %s on %s: only brokers %s have all of its records, and none of them would stay;"
              + " wait until another one is in sync",
          request.partition(),
          wanted.replicas(),
          complete);
    }
    changes.reelect(request.partition(), (election, before) -> election.reassign(before, wanted));
    return new Done(ErrorCode.NONE);
  }
}
