/**
 * The Akka Persistence plugin over segment files: journal, snapshot store and read journal.
 *
 * <p>{@link io.tidemark.journal.StorageDirectory} guards the directory, {@link
 * io.tidemark.journal.SegmentLog} is one persistence id's log, {@link io.tidemark.journal.Lane} the
 * group commit. Those know nothing of Akka. {@link io.tidemark.journal.Storage} ties them to an
 * ActorSystem and {@link io.tidemark.journal.SegmentJournal}, {@link
 * io.tidemark.journal.SegmentSnapshotStore} and {@link io.tidemark.journal.SegmentReadJournal} are
 * the plugins. The bytes are described in {@code docs/storage-format.md}.
 */
package io.tidemark.journal;
