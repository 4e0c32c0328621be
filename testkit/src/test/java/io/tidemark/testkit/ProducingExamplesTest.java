package io.tidemark.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.AskPattern;
import akka.stream.ActorAttributes;
import akka.stream.Supervision;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import io.tidemark.client.BufferExhausted;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerBehavior;
import io.tidemark.client.ProducerFailure;
import io.tidemark.client.ProducerMessage;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.client.TidemarkClient;
import io.tidemark.record.Compression;
import io.tidemark.serialization.Serializer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples of docs/producing.md. */
class ProducingExamplesTest {
  @RegisterExtension private static final TidemarkTestKit TIDEMARK = TidemarkTestKit.singleNode();

  private static final List<Order> ORDERS =
      List.of(new Order("customer-7", "tea"), new Order("customer-8", "a cake"));

  record Order(String customer, String what) {}

  /** An order, and whom to tell of it. */
  record Ticket(Order order, String waiter) {}

  private static ActorSystem<Void> system;
  private static ProducerSettings<String, Order> settings;

  @BeforeAll
  static void createTopic() {
    TIDEMARK.createTopic("orders", 3);
    system = TIDEMARK.system();
    TidemarkClient tidemark = TIDEMARK.client();
    // docs: settings
    ProducerSettings<String, Order> ofOrders =
        ProducerSettings.create(tidemark, Serializer.string(), Serializer.json(Order.class))
            .withCompression(Compression.ZSTD)
            .withLinger(Duration.ofMillis(20));
    // docs: end
    settings = ofOrders;
  }

  @Test
  void a_sink() {
    List<Order> orders = ORDERS;
    // docs: sink
    CompletionStage<Done> written =
        Source.from(orders)
            .map(order -> new ProducerRecord<>("orders", order.customer(), order))
            .runWith(Producer.plainSink(settings), system);
    // docs: end
    TestNodes.await(written);
  }

  @Test
  void a_flow() {
    List<Ticket> tickets = ORDERS.stream().map(order -> new Ticket(order, "Ada")).toList();
    // docs: flow
    CompletionStage<List<String>> told =
        Source.from(tickets)
            .map(
                ticket ->
                    new ProducerMessage<>(
                        new ProducerRecord<>("orders", ticket.order().customer(), ticket.order()),
                        ticket))
            .via(Producer.flow(settings))
            .map(result -> result.passThrough().waiter() + " knows of " + result.metadata())
            .runWith(Sink.seq(), system);
    // docs: end
    assertEquals(2, TestNodes.await(told).size());
  }

  @Test
  void supervision() {
    List<Order> orders = List.of(ORDERS.get(0), new Order("customer-9", "x".repeat(2_000_000)));
    // docs: supervision
    CompletionStage<Done> written =
        Source.from(orders)
            .map(order -> new ProducerRecord<>("orders", order.customer(), order))
            .map(record -> new ProducerMessage<>(record, record.value()))
            .via(Producer.flow(settings))
            .withAttributes(
                ActorAttributes.withSupervisionStrategy(
                    failure ->
                        failure instanceof ProducerFailure refused && !refused.mayBeWritten()
                            ? Supervision.resume()
                            : Supervision.stop()))
            .runWith(Sink.ignore(), system);
    // docs: end
    TestNodes.await(written);
  }

  @Test
  void a_send() {
    Order order = ORDERS.get(0);
    // docs: send
    Producer<String, Order> producer = Producer.create(settings);
    CompletionStage<String> answer =
        producer
            .send(new ProducerRecord<>("orders", order.customer(), order))
            .handle(
                (RecordMetadata written, Throwable failure) -> {
                  if (failure == null) {
                    return "taken as number " + written.offset();
                  }
                  return failure instanceof BufferExhausted ? "too busy" : "try again";
                });
    // docs: end
    assertEquals("taken as number", TestNodes.await(answer).substring(0, 15));
    // docs: close
    CompletionStage<Done> closed = producer.close();
    // docs: end
    TestNodes.await(closed);
  }

  @Test
  void an_actor() {
    Order order = ORDERS.get(0);
    ActorRef<ProducerBehavior.Command<String, Order>> producer =
        system.systemActorOf(
            ProducerBehavior.create(settings), "orders-" + UUID.randomUUID(), Props.empty());
    // docs: actor
    CompletionStage<ProducerBehavior.Reply> reply =
        AskPattern.ask(
            producer,
            replyTo ->
                new ProducerBehavior.Send<>(
                    new ProducerRecord<>("orders", order.customer(), order), replyTo),
            Duration.ofSeconds(150),
            system.scheduler());
    // docs: end
    assertInstanceOf(ProducerBehavior.Sent.class, TestNodes.await(reply));
  }

  @Test
  void a_serializer_and_a_header() throws Exception {
    UUID id = UUID.randomUUID();
    // docs: serializer
    Serializer<UUID> ids =
        (topic, data) ->
            ByteBuffer.allocate(16)
                .putLong(data.getMostSignificantBits())
                .putLong(data.getLeastSignificantBits())
                .flip();
    // docs: end
    ByteBuffer bytes = ids.serialize("orders", id);
    assertEquals(id, new UUID(bytes.getLong(), bytes.getLong()));
    // docs: header
    ProducerRecord<String, String> record =
        new ProducerRecord<>("notes", "customer-7", "no sugar")
            .withHeader("trace", UTF_8.encode("7c3f"));
    // docs: end
    assertEquals("trace", record.headers().get(0).key());
  }
}
