package io.tidemark.example.projection;

import akka.Done;
import akka.actor.typed.ActorSystem;
import akka.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import akka.projection.Projection;
import akka.projection.ProjectionBehavior;
import akka.projection.ProjectionId;
import akka.projection.jdbc.javadsl.JdbcProjection;
import io.tidemark.client.ConsumerRecord;
import io.tidemark.client.ConsumerSettings;
import io.tidemark.client.TopicPartition;
import io.tidemark.cluster.Tidemark;
import io.tidemark.projection.TidemarkSourceProvider;
import io.tidemark.serialization.Deserializer;
import java.sql.SQLException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import javax.sql.DataSource;

/**
 * Keeps the balance of each account in a database: a projection for each partition of the topic of
 * transfers, and each of them on one of the nodes.
 */
public final class Balances {
  public static final String TRANSFERS = "transfers";

  static final int PARTITIONS = 4;

  private static final String NAME = "balances";

  private final ActorSystem<?> system;
  private final int node;
  private final DataSource database;
  private final IntFunction<TransferHandler> handlers;
  private final ConsumerSettings<String, Transfer> settings;

  private Balances(
      ActorSystem<?> system, DataSource database, IntFunction<TransferHandler> handlers) {
    this.system = system;
    this.node = system.settings().config().getInt("tidemark.broker.id");
    this.database = database;
    this.handlers = handlers;
    this.settings =
        ConsumerSettings.create(
            Tidemark.get(system).client(),
            Deserializer.string(),
            Deserializer.json(Transfer.class));
  }

  /** Once for the database, before the first node starts. */
  public static CompletionStage<Done> createTables(ActorSystem<?> system, DataSource database)
      throws SQLException {
    ReadModel.create(database);
    return JdbcProjection.createTablesIfNotExists(() -> new Session(database), system);
  }

  /** Once on every node, when the topic and the tables are there. */
  public static void start(ActorSystem<?> system, DataSource database) {
    start(system, database, TransferHandler::new);
  }

  static void start(
      ActorSystem<?> system, DataSource database, IntFunction<TransferHandler> handlers) {
    Balances balances = new Balances(system, database, handlers);
    ShardedDaemonProcess.get(system)
        .init(
            ProjectionBehavior.Command.class,
            NAME,
            PARTITIONS,
            partition -> ProjectionBehavior.create(balances.projection(partition)),
            ProjectionBehavior.stopMessage());
  }

  private Projection<ConsumerRecord<String, Transfer>> projection(int index) {
    TopicPartition partition = new TopicPartition(TRANSFERS, index);
    return JdbcProjection.exactlyOnce(
        ProjectionId.of(NAME, partition.toString()),
        TidemarkSourceProvider.create(settings, partition),
        () -> new Session(database),
        () -> handlers.apply(node),
        system);
  }
}
