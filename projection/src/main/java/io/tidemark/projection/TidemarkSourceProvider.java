package io.tidemark.projection;

import akka.NotUsed;
import akka.projection.MergeableOffset;
import akka.projection.javadsl.SourceProvider;
import akka.stream.javadsl.Source;
import io.tidemark.client.Consumer;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.ConsumerSettings.OffsetReset;
import io.tidemark.client.Start;
import io.tidemark.client.Subscription;
import io.tidemark.client.TopicPartition;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import scala.Option;

/**
 * The records of one partition, for a projection of Akka Projections: in order, and from where the
 * projection's own store of offsets says. A projection of a whole topic has an instance for each
 * partition, which {@code ShardedDaemonProcess} spreads over the nodes. They share the projection's
 * name; the partition is the key: {@code ProjectionId.of("balances", partition.toString())}.
 *
 * <p>One partition and not several, because a projection that handles records in groups, or stores
 * offsets now and then, stores the offset of the last record alone: it would be handed the other
 * partitions' records again. And no partition is taken from a projection that has it, as a consumer
 * group would do, so that there is nothing to verify of an offset before it is stored.
 *
 * <p>What is stored is the last record's offset and leader epoch, {@code 41@3}, below the
 * partition's name. Offset stores know texts below names as they are; a number instead could not
 * hold the epoch, by which a projection that begins again learns that an unclean leader election
 * has replaced what it had been given (KIP-320). Changes of leader that are clean go unnoticed.
 *
 * <p>A projection that has stored nothing begins with the earliest record. Where it cannot go on
 * behind what it has stored, its stream fails, whatever the settings say of {@code offset-reset}: a
 * read model with a gap, or with records counted twice, does not say so later. The failures are
 * {@link io.tidemark.client.OffsetOutOfRange}, for records that retention took before they were
 * read, and {@link io.tidemark.client.LogTruncated}; {@code ProjectionManagement.updateOffset} with
 * {@link #offset} moves the projection on.
 */
public final class TidemarkSourceProvider<K, V>
    extends SourceProvider<MergeableOffset<String>, ConsumerRecord<K, V>> {
  private final ConsumerSettings<K, V> settings;
  private final TopicPartition partition;

  private TidemarkSourceProvider(ConsumerSettings<K, V> settings, TopicPartition partition) {
    this.settings = settings;
    this.partition = partition;
  }

  /**
   * @param settings whose group, if any, is not used
   */
  public static <K, V> TidemarkSourceProvider<K, V> create(
      ConsumerSettings<K, V> settings, TopicPartition partition) {
    return new TidemarkSourceProvider<>(settings.withOffsetReset(OffsetReset.FAIL), partition);
  }

  /**
   * The offset to store for a projection that is to go on behind a record.
   *
   * @param offset of that record, from 0
   * @param leaderEpoch of that record, −1 when it is not known: then nothing tells whether the
   *     record was replaced
   * @throws IllegalArgumentException when the offset or the epoch is lower
   */
  public static MergeableOffset<String> offset(
      TopicPartition partition, long offset, int leaderEpoch) {
    return new MergeableOffset<>(
        new scala.collection.immutable.Map.Map1<>(
            partition.toString(), new StoredPosition(offset, leaderEpoch).toString()));
  }

  @Override
  public CompletionStage<Source<ConsumerRecord<K, V>, NotUsed>> source(
      Supplier<CompletionStage<Optional<MergeableOffset<String>>>> stored) {
    return stored
        .get()
        .thenApply(
            found ->
                Consumer.plainSource(
                        settings, new Subscription.Assignment(Map.of(partition, start(found))))
                    .mapMaterializedValue(control -> NotUsed.getInstance()));
  }

  private Start start(Optional<MergeableOffset<String>> stored) {
    return stored
        .map(offsets -> offsets.entries().get(partition.toString()))
        .filter(Option::isDefined)
        .map(Option::get)
        .<Start>map(text -> StoredPosition.parse(partition, text).next())
        .orElseGet(Start.Earliest::new);
  }

  @Override
  public MergeableOffset<String> extractOffset(ConsumerRecord<K, V> record) {
    return offset(
        new TopicPartition(record.topic(), record.partition()),
        record.offset(),
        record.leaderEpoch());
  }

  /** The record's timestamp, in milliseconds since the epoch. */
  @Override
  public long extractCreationTime(ConsumerRecord<K, V> record) {
    return record.timestamp();
  }
}
