package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.MetadataImage;
import io.tidemark.protocol.MetadataRecord;
import io.tidemark.protocol.MetadataRecord.BrokerRegistered;
import io.tidemark.protocol.MetadataRecord.BrokerUnfenced;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import io.tidemark.replica.PartitionView;
import io.tidemark.replica.PartitionView.Peer;
import io.tidemark.wire.WireSerializer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReplicaViewsTest {
  private static final UUID TOPIC = new UUID(3, 3);
  private static final PartitionId PARTITION = new PartitionId(TOPIC, 0);
  private static final PartitionId STORED = new PartitionId(TOPIC, 7);
  private static final PartitionId FOREIGN = new PartitionId(new UUID(9, 9), 0);
  private static final int FRAME = 1 << 20;

  private final ReplicaViews views = new ReplicaViews(1, List.of(STORED, FOREIGN));
  private MetadataImage image = MetadataImage.EMPTY;

  private void apply(MetadataRecord record) {
    image = image.apply(image.nextOffset(), record);
  }

  private void register(int broker, int frame) {
    apply(
        new BrokerRegistered(
            broker,
            new UUID(broker, image.nextOffset()),
            new UUID(broker, 0),
            "h:1",
            0,
            "",
            frame));
  }

  private void topic() {
    register(1, FRAME);
    register(2, 2 * FRAME);
    apply(new BrokerUnfenced(2, 1));
    apply(new TopicCreated("orders", TOPIC, Map.of()));
    apply(state(0));
  }

  private static PartitionChanged state(int partitionEpoch) {
    return new PartitionChanged(
        PARTITION,
        new PartitionState(List.of(1, 2), List.of(1, 2), List.of(), 1, 0, partitionEpoch, false));
  }

  @Test
  void a_replica_is_told_once_what_the_metadata_says() {
    topic();

    PartitionView view = views.due(image, 0, 0).get(PARTITION);
    views.confirmed(PARTITION, view);

    assertEquals(Map.of(2, new Peer(1, true, "")), view.peers());
    assertEquals(0, view.brokerEpoch());
    assertTrue(views.due(image, 0, ReplicaViews.TELL_AGAIN_NANOS * 5).isEmpty());
  }

  @Test
  void what_was_not_confirmed_is_told_again() {
    topic();
    views.due(image, 0, 0);

    assertTrue(views.due(image, 0, ReplicaViews.TELL_AGAIN_NANOS - 1).isEmpty());
    assertFalse(views.due(image, 0, ReplicaViews.TELL_AGAIN_NANOS).isEmpty());
  }

  @Test
  void every_change_is_told() {
    topic();
    views.confirmed(PARTITION, views.due(image, 0, 0).get(PARTITION));

    apply(state(1));

    assertEquals(1, views.due(image, 0, 1).get(PARTITION).state().partitionEpoch());
  }

  @Test
  void nothing_is_told_before_the_metadata_knows_this_incarnation() {
    topic();

    assertTrue(views.due(image, 9, 0).isEmpty());
  }

  @Test
  void a_replica_that_failed_is_told_anew() {
    topic();
    views.confirmed(PARTITION, views.due(image, 0, 0).get(PARTITION));

    views.forget(PARTITION);

    assertFalse(views.due(image, 0, 1).isEmpty());
  }

  @Test
  void a_batch_fits_the_smallest_frame_of_all_brokers() {
    topic();

    int largest = views.due(image, 0, 0).get(PARTITION).topic().maxBatchBytes();

    assertEquals(FRAME - WireSerializer.OVERHEAD_BYTES, largest);
  }

  private void moveAway(int partitionEpoch) {
    PartitionState elsewhere =
        new PartitionState(List.of(2), List.of(2), List.of(), 2, 1, partitionEpoch, false);
    apply(new PartitionChanged(PARTITION, elsewhere));
  }

  @Test
  void a_replica_that_is_not_assigned_here_any_more_goes_until_it_is_gone() {
    topic();
    views.due(image, 0, 0);
    views.unwanted(image, 0, 0).forEach(views::removed);

    moveAway(1);

    assertTrue(views.due(image, 0, 1).isEmpty());
    assertEquals(List.of(PARTITION), views.unwanted(image, 0, 1));
    assertEquals(List.of(), views.unwanted(image, 0, 2));
    assertEquals(List.of(PARTITION), views.unwanted(image, 0, 1 + ReplicaViews.TELL_AGAIN_NANOS));
    views.removed(PARTITION);
    assertEquals(List.of(), views.unwanted(image, 0, 5 * ReplicaViews.TELL_AGAIN_NANOS));
  }

  @Test
  void a_replica_that_comes_back_is_started_and_not_removed() {
    topic();
    views.due(image, 0, 0);
    moveAway(1);
    views.unwanted(image, 0, 1);

    apply(state(2));

    assertFalse(views.unwanted(image, 0, 5 * ReplicaViews.TELL_AGAIN_NANOS).contains(PARTITION));
    assertEquals(2, views.due(image, 0, 2).get(PARTITION).state().partitionEpoch());
  }

  @Test
  void data_of_a_replica_that_was_moved_away_while_this_broker_was_down_goes() {
    topic();

    assertEquals(List.of(STORED), views.unwanted(image, 0, 0));
  }

  @Test
  void data_of_a_topic_that_this_cluster_does_not_know_stays() {
    topic();

    assertFalse(views.unwanted(image, 0, 0).contains(FOREIGN));
  }

  @Test
  void nothing_goes_before_the_metadata_knows_this_incarnation() {
    topic();

    assertEquals(List.of(), views.unwanted(image, 9, 0));
  }

  @Test
  void older_metadata_than_was_seen_removes_nothing_and_tells_nothing() {
    register(1, FRAME);
    MetadataImage older = image;
    register(2, FRAME);
    apply(new TopicCreated("orders", TOPIC, Map.of()));
    apply(state(0));
    views.due(image, 0, 0);
    views.unwanted(image, 0, 0).forEach(views::removed);

    assertEquals(Map.of(), views.due(older, 0, 5 * ReplicaViews.TELL_AGAIN_NANOS));
    assertEquals(List.of(), views.unwanted(older, 0, 5 * ReplicaViews.TELL_AGAIN_NANOS));
  }
}
