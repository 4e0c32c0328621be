package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.protocol.ControllerRequest.InitProducerId;
import io.tidemark.protocol.PartitionId;
import io.tidemark.record.CorruptRecordException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An image's way into a snapshot of the metadata log and back (KIP-630). */
class MetadataSnapshotTest {
  private final ControllerFixture controller = ControllerFixture.withBrokers(1, 2, 3);

  private MetadataImage loaded() {
    return MetadataSnapshot.load(
        MetadataSnapshot.of(controller.image), controller.image.nextOffset());
  }

  @Test
  void an_image_comes_back_equal() {
    controller.create("orders", 3, Map.of(TopicConfig.MIN_INSYNC_REPLICAS, "1"));
    controller.create("payments", 2, Map.of());
    controller.ask(new InitProducerId());
    controller.die(2);
    controller.leave(3);

    assertEquals(controller.image, loaded());
  }

  @Test
  void an_empty_image_comes_back_equal() {
    MetadataImage empty = MetadataImage.EMPTY;

    assertEquals(empty, MetadataSnapshot.load(MetadataSnapshot.of(empty), 0));
  }

  @Test
  void a_controller_goes_on_from_it_as_if_it_had_read_all_records() {
    PartitionId partition = controller.create("orders", 3, Map.of());
    MetadataImage image = loaded();

    controller.image = image;
    controller.send(new ControllerInput.Activated(2, image, image.nextOffset()));
    controller.die(controller.state(partition).leader());

    assertEquals(2, controller.state(partition).isr().size());
  }

  @Test
  void a_damaged_one_is_refused() {
    ByteBuffer content = MetadataSnapshot.of(controller.image);
    content.put(content.limit() - 3, (byte) (content.get(content.limit() - 3) + 1));

    assertThrows(CorruptRecordException.class, () -> MetadataSnapshot.load(content, 9));
  }
}
