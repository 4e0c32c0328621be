package io.tidemark.client;

/** A group has committed nothing for a partition, and is to fail then. */
public final class NoOffsetCommitted extends RuntimeException {
  NoOffsetCommitted(TopicPartition partition) {
    super(
        "the group has committed no offset of %s; commit one, or set offset-reset to earliest or latest"
            .formatted(partition));
  }
}
