package io.tidemark.protocol;

/** What a request can end with, by Kafka's names. */
public enum ErrorCode {
  NONE(false),
  /** The offset is not in the log, or its epoch is not. */
  OFFSET_OUT_OF_RANGE(false),
  /** The asker's leader epoch is older than this replica's. */
  FENCED_LEADER_EPOCH(true),
  /** The asker's leader epoch is newer than this replica's, which will hear of it soon. */
  UNKNOWN_LEADER_EPOCH(true),
  /** This replica does not lead, or not any more; a write that waited here may be in the log. */
  NOT_LEADER_OR_FOLLOWER(true),
  /** The partition has no leader at the moment. */
  LEADER_NOT_AVAILABLE(true),
  /** Fewer replicas are in sync than acks=all asks for; nothing was written. */
  NOT_ENOUGH_REPLICAS(true),
  /** A new leader cannot tell the latest offset until its high watermark has reached its epoch. */
  OFFSET_NOT_AVAILABLE(true),
  REQUEST_TIMED_OUT(true),
  UNKNOWN_TOPIC_OR_PARTITION(true),
  /** The topic was deleted, or deleted and created again under the same name. */
  UNKNOWN_TOPIC_ID(true),
  /** A batch of an idempotent producer that does not follow its last one. */
  OUT_OF_ORDER_SEQUENCE(false),
  /** Another instance of the producer took over. */
  INVALID_PRODUCER_EPOCH(false),
  RECORD_TOO_LARGE(false),
  CORRUPT_RECORD(false),
  INVALID_TOPIC(false),
  INVALID_CONFIG(false),
  TOPIC_ALREADY_EXISTS(false),
  /** More replicas were asked for than there are brokers. */
  INVALID_REPLICATION_FACTOR(false),
  /** The replica's disk does not give back what was written to it. */
  STORAGE_ERROR(false),
  /** Not the active controller; ask again, elsewhere. */
  NOT_CONTROLLER(true),
  /** The broker's incarnation is not the registered one. */
  STALE_BROKER_EPOCH(false),
  BROKER_ID_NOT_REGISTERED(false),
  /** The broker id is in use by a live broker with another directory. */
  DUPLICATE_BROKER_REGISTRATION(true),
  /** An AlterPartition that is based on an older partition epoch. */
  INVALID_UPDATE_VERSION(false),
  /** An AlterPartition that names a replica that may not be in sync. */
  INELIGIBLE_REPLICA(false),
  INVALID_REQUEST(false),
  /** The broker's directory holds the data of another cluster. */
  INCONSISTENT_CLUSTER_ID(false),
  /** The request's directory id or voter set is not this quorum's. */
  INCONSISTENT_VOTER_SET(false),
  /** The wanted replicas are not registered brokers, or none of those that are complete stays. */
  INVALID_REPLICA_ASSIGNMENT(false),
  /** There is no reassignment to cancel. */
  NO_REASSIGNMENT_IN_PROGRESS(false),
  /** The leader's log starts behind the fetch offset, or cannot be compared: fetch its snapshot. */
  SNAPSHOT_NEEDED(true),
  /** The leader has another snapshot by now. */
  SNAPSHOT_NOT_FOUND(true),
  POSITION_OUT_OF_RANGE(false),
  /** The member votes already, with another directory. */
  DUPLICATE_VOTER(false),
  VOTER_NOT_FOUND(false),
  /** The group's coordinator has not read all of its log yet. */
  COORDINATOR_LOADING(true),
  /** This broker does not coordinate the group, or not any more; ask again, elsewhere. */
  NOT_COORDINATOR(true),
  /** The group has a newer generation than the asker's. */
  ILLEGAL_GENERATION(false),
  /** The group has no such member, or not any more: it was silent for too long. */
  UNKNOWN_MEMBER_ID(false),
  INVALID_GROUP_ID(false),
  /** The group, or the coordinator, has as many members as it can take. */
  GROUP_MAX_SIZE_REACHED(false);

  private final boolean retriable;

  ErrorCode(boolean retriable) {
    this.retriable = retriable;
  }

  /** Whether the same request may succeed later without anyone's help. */
  public boolean isRetriable() {
    return retriable;
  }
}
