/**
 * The controller quorum as a pure core: pull-based Raft (KIP-595, KIP-853, KIP-996) on the same
 * leader and follower as a partition. No clock, no I/O, no randomness of its own.
 *
 * <p>{@link io.tidemark.quorum.QuorumCore} takes inputs and gives effects; {@link
 * io.tidemark.quorum.QuorumState} lists the legal transitions.
 */
package io.tidemark.quorum;
