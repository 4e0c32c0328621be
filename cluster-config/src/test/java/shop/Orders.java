package shop;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.javadsl.Sink;
import io.tidemark.client.Consumer;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.client.Subscriptions;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicFailure;
import io.tidemark.client.TopicPartition;
import io.tidemark.cluster.Tidemark;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.serialization.Deserializer;
import io.tidemark.serialization.Serializer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** A node: what is typed into one is printed by all. */
public final class Orders {
  private Orders() {}

  public static void main(String[] args) throws Exception {
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "shop");
    Tidemark node = Tidemark.get(system);
    node.joinCluster(system::terminate);
    TidemarkClient tidemark = node.client();
    while (!isTopicThere(tidemark)) {
      Thread.sleep(500);
    }
    System.out.println("node " + node.brokerId() + " takes orders");

    Consumer.plainSource(
            ConsumerSettings.create(tidemark, Deserializer.string(), Deserializer.string()),
            Subscriptions.assignmentFromEarliest(new TopicPartition("orders", 0)))
        .runWith(
            Sink.foreach(
                order ->
                    System.out.println(
                        order.offset() + ": " + order.value() + " for " + order.key())),
            system);

    Producer<String, String> orders =
        Producer.create(
            ProducerSettings.create(tidemark, Serializer.string(), Serializer.string()));
    BufferedReader typed = new BufferedReader(new InputStreamReader(System.in));
    for (String line = typed.readLine(); line != null; line = typed.readLine()) {
      try {
        RecordMetadata written =
            orders
                .send(new ProducerRecord<>("orders", "table-" + node.brokerId(), line))
                .toCompletableFuture()
                .get();
        System.out.println("acknowledged as number " + written.offset());
      } catch (ExecutionException e) {
        System.out.println("not acknowledged: " + e.getCause().getMessage());
      }
    }
    system.terminate();
  }

  /** Three replicas need three nodes; whoever sees them first creates the topic. */
  private static boolean isTopicThere(TidemarkClient tidemark) throws InterruptedException {
    try {
      tidemark.createTopic("orders", 1, 3, Map.of()).toCompletableFuture().get();
      return true;
    } catch (ExecutionException e) {
      return e.getCause() instanceof TopicFailure failure
          && failure.error() == ErrorCode.TOPIC_ALREADY_EXISTS;
    }
  }
}
