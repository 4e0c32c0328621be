package io.tidemark.simulation;

import java.util.ArrayList;
import java.util.List;

/** What has to show up in a long hostile run: counters that are printed even if they stay zero. */
final class Expected {
  private static final String[] BRANCHES = {
    "broker-fenced broker-left broker-unfenced registered-unclean",
    "client-CORRUPT_RECORD client-OUT_OF_ORDER_SEQUENCE client-REQUEST_TIMED_OUT",
    "client-UNKNOWN_TOPIC_OR_PARTITION reader-out-of-range",
    "controller-activated controller-NONE controller-NOT_CONTROLLER",
    "controller-BROKER_ID_NOT_REGISTERED controller-DUPLICATE_BROKER_REGISTRATION",
    "controller-FENCED_LEADER_EPOCH controller-INELIGIBLE_REPLICA controller-INVALID_CONFIG",
    "controller-INVALID_REPLICATION_FACTOR controller-INVALID_REPLICA_ASSIGNMENT",
    "controller-INVALID_REQUEST controller-INVALID_TOPIC controller-INVALID_UPDATE_VERSION",
    "controller-LEADER_NOT_AVAILABLE controller-NO_REASSIGNMENT_IN_PROGRESS",
    "controller-REQUEST_TIMED_OUT controller-STALE_BROKER_EPOCH",
    "controller-TOPIC_ALREADY_EXISTS controller-UNKNOWN_TOPIC_ID",
    "crashed-after-ack crashed-after-commit crashed-after-vote",
    "delete-records-FENCED_LEADER_EPOCH delete-records-NONE",
    "delete-records-NOT_LEADER_OR_FOLLOWER delete-records-OFFSET_OUT_OF_RANGE",
    "delete-records-UNKNOWN_LEADER_EPOCH delete-records-UNKNOWN_TOPIC_ID",
    "election-from-elr election-from-isr election-offline election-unclean",
    "epoch-end-FENCED_LEADER_EPOCH epoch-end-NONE epoch-end-NOT_LEADER_OR_FOLLOWER",
    "epoch-end-UNKNOWN_LEADER_EPOCH epoch-end-UNKNOWN_TOPIC_ID",
    "fetch-FENCED_LEADER_EPOCH fetch-NONE fetch-NOT_LEADER_OR_FOLLOWER fetch-diverging",
    "fetch-OFFSET_OUT_OF_RANGE fetch-UNKNOWN_LEADER_EPOCH fetch-UNKNOWN_TOPIC_ID",
    "fetch-ahead-of-disk fetch-of-leader-end-only",
    "isr-expanded isr-shrunk replica-removed replica-restarted",
    "list-offsets-FENCED_LEADER_EPOCH list-offsets-NONE list-offsets-NOT_LEADER_OR_FOLLOWER",
    "list-offsets-OFFSET_NOT_AVAILABLE list-offsets-UNKNOWN_LEADER_EPOCH",
    "list-offsets-UNKNOWN_TOPIC_ID",
    "message-cut message-damaged message-dropped message-duplicated message-echoed",
    "message-late message-misdirected torn-tail unflushed-tail-lost write-failed",
    "pre-vote-granted pre-vote-refused vote-FENCED_LEADER_EPOCH vote-INCONSISTENT_VOTER_SET",
    "vote-granted vote-refused",
    "produce-CORRUPT_RECORD produce-INVALID_PRODUCER_EPOCH produce-INVALID_REQUEST",
    "produce-LEADER_NOT_AVAILABLE produce-NONE produce-NOT_ENOUGH_REPLICAS",
    "produce-NOT_LEADER_OR_FOLLOWER produce-OUT_OF_ORDER_SEQUENCE produce-RECORD_TOO_LARGE",
    "produce-REQUEST_TIMED_OUT produce-UNKNOWN_TOPIC_ID",
    "quorum-leadership-lost quorum-led quorum-pre-vote quorum-resigned quorum-truncation",
    "quorum-vote truncation-at-divergence truncation-of-epochs-only truncation-restart"
  };

  private Expected() {}

  static List<String> of(Profile profile) {
    List<String> names = new ArrayList<>();
    if (profile == Profile.HOSTILE) {
      for (Fault.Kind kind : Fault.Kind.values()) {
        names.add(kind.counter());
      }
      for (String line : BRANCHES) {
        names.addAll(List.of(line.split(" ")));
      }
    }
    return names;
  }
}
