package io.tidemark.projection;

import static io.tidemark.projection.Database.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.typed.ActorSystem;
import akka.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import akka.projection.ProjectionBehavior;
import akka.projection.ProjectionId;
import akka.projection.jdbc.javadsl.JdbcHandler;
import akka.projection.jdbc.javadsl.JdbcProjection;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TidemarkClient;
import io.tidemark.client.TopicPartition;
import io.tidemark.cluster.Tidemark;
import io.tidemark.serialization.Deserializer;
import io.tidemark.serialization.Serializer;
import io.tidemark.testkit.TidemarkTestKit;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of docs/consuming.md about projections. */
class ProjectionsExampleTest {
  @RegisterExtension private static final TidemarkTestKit TIDEMARK = Database.singleNode();

  record Order(String customer, int cups) {}

  static final class Cups extends JdbcHandler<ConsumerRecord<String, Order>, Session> {
    @Override
    public void process(Session session, ConsumerRecord<String, Order> record) throws Exception {
      session.withConnection(
          connection -> {
            try (PreparedStatement add =
                connection.prepareStatement(
                    "UPDATE customers SET cups = cups + ? WHERE customer = ?")) {
              add.setInt(1, record.value().cups());
              add.setString(2, record.key());
              return add.executeUpdate();
            }
          });
    }
  }

  private static void start(ActorSystem<?> system, TidemarkClient tidemark, DataSource database) {
    ConsumerSettings<String, Order> settings =
        ConsumerSettings.create(tidemark, Deserializer.string(), Deserializer.json(Order.class));
    List<TopicPartition> partitions =
        IntStream.range(0, 3).mapToObj(i -> new TopicPartition("orders", i)).toList();

    ShardedDaemonProcess.get(system)
        .init(
            ProjectionBehavior.Command.class,
            "cups",
            partitions.size(),
            i ->
                ProjectionBehavior.create(
                    JdbcProjection.exactlyOnce(
                        ProjectionId.of("cups", partitions.get(i).toString()),
                        TidemarkSourceProvider.create(settings, partitions.get(i)),
                        () -> new Session(database),
                        Cups::new,
                        system)),
            ProjectionBehavior.stopMessage());
  }

  @Test
  void each_order_is_counted_once() throws Exception {
    TIDEMARK.createTopic("orders", 3);
    ActorSystem<?> node = TIDEMARK.node(1);
    try (Database database = new Database()) {
      database.createTables(
          node,
          """
          CREATE TABLE customers (customer VARCHAR PRIMARY KEY, cups INT);
          INSERT INTO customers VALUES ('Ada', 0), ('Bob', 0), ('Cleo', 0), ('Dan', 0)
          """);
      start(node, Tidemark.get(node).client(), database.source());
      Producer<String, Order> producer =
          Producer.create(
              ProducerSettings.create(
                  TIDEMARK.client(), Serializer.string(), Serializer.json(Order.class)));
      for (int i = 0; i < 30; i++) {
        for (String customer : List.of("Ada", "Bob", "Cleo", "Dan")) {
          producer.send(new ProducerRecord<>("orders", customer, new Order(customer, 2)));
        }
      }
      await(producer.close());

      database.await(
          "SELECT SUM(cups) FROM customers", rows -> Integer.parseInt(rows.get(0)) >= 240);
      assertEquals(
          List.of("Ada 60", "Bob 60", "Cleo 60", "Dan 60"),
          database.rows("SELECT customer, cups FROM customers ORDER BY customer"));
    }
  }
}
