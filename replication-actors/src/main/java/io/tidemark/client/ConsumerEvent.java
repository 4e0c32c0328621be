package io.tidemark.client;

/** What a consumer tells beside its records; see {@link ConsumerSettings#withListener}. */
public sealed interface ConsumerEvent {

  TopicPartition partition();

  /** It is read from now on. */
  record Assigned(TopicPartition partition) implements ConsumerEvent {}

  /** It is read no more, and goes to another member when what was read of it is committed. */
  record Revoked(TopicPartition partition) implements ConsumerEvent {}

  /** The group took it away, since this member was silent for too long. */
  record Lost(TopicPartition partition) implements ConsumerEvent {}

  /**
   * The log does not hold where reading was to go on (any more).
   *
   * @param wanted the offset
   * @param next where it goes on instead
   */
  record OutOfRange(TopicPartition partition, long wanted, long next) implements ConsumerEvent {}

  /**
   * Records that had been read are lost by an unclean leader election (KIP-320).
   *
   * @param wanted where reading was to go on
   * @param next where it goes on instead: the first offset with another record
   */
  record Truncated(TopicPartition partition, long wanted, long next) implements ConsumerEvent {}
}
