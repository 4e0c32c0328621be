package io.tidemark.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.serialization.Serializer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples of docs/testing.md. */
class TestingExampleTest {

  // docs: single
  @RegisterExtension static final TidemarkTestKit TIDEMARK = TidemarkTestKit.threeNodes();

  @Test
  void an_order_is_taken_although_the_leader_has_died() throws Exception {
    TIDEMARK.createTopic("orders", 1);
    Producer<String, String> orders =
        Producer.create(
            ProducerSettings.create(TIDEMARK.client(), Serializer.string(), Serializer.string()));

    TIDEMARK.kill(TIDEMARK.leader("orders", 0));
    RecordMetadata written =
        orders
            .send(new ProducerRecord<>("orders", "customer-7", "tea"))
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS);

    assertEquals(0, written.offset());
  }
  // docs: end
}
