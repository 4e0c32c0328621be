package io.tidemark.example.projection;

import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.client.TidemarkClient;
import io.tidemark.serialization.Serializer;
import io.tidemark.testkit.TidemarkTestKit;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** The projections on three nodes, one of which is killed; the others go on with its part. */
public final class ProjectionExample {
  /** A node that died is missed sooner than by default, so that nobody waits long for the end. */
  static final String SETTINGS =
      """
      akka.projection {
        jdbc.dialect = h2-dialect
        jdbc.blocking-jdbc-dispatcher.thread-pool-executor.fixed-pool-size = 4
        restart-backoff { min-backoff = 50 ms, max-backoff = 200 ms }
      }
      akka.cluster {
        failure-detector.acceptable-heartbeat-pause = 3 s
        split-brain-resolver.stable-after = 1 s
        sharded-daemon-process.keep-alive-interval = 1 s
      }
      """;

  private static final long PATIENCE_SECONDS = 60;
  private static final long PAUSE_MILLIS = 20;
  private static final int ACCOUNTS = 5;

  /** What the read model must say, if each transfer has been counted once. */
  private final Map<String, Balance> truth = new TreeMap<>();

  private final DataSource database;
  private final Producer<String, Transfer> producer;

  ProjectionExample(DataSource database, TidemarkClient tidemark) {
    this.database = database;
    this.producer =
        Producer.create(
            ProducerSettings.create(
                tidemark, Serializer.string(), Serializer.json(Transfer.class)));
  }

  public static void main(String[] args) throws Exception {
    DataSource database = database("example");
    try (TidemarkTestKit nodes = TidemarkTestKit.threeNodes().withSettings(SETTINGS).start()) {
      nodes.createTopic(Balances.TRANSFERS, Balances.PARTITIONS);
      ProjectionExample example = new ProjectionExample(database, nodes.client());
      await(Balances.createTables(nodes.system(), database));
      for (int id = 1; id <= 3; id++) {
        Balances.start(nodes.node(id), database);
      }

      await(example.write(0, 500));
      example.show();

      int killed = ReadModel.nodes(database).get("account-0");
      CompletionStage<?> more = example.write(500, 1_000);
      nodes.kill(killed);
      System.out.println("node " + killed + " is killed while 500 more are written");
      await(more);
      example.show();
    }
  }

  /** In memory; on three machines it is a database beside them. */
  static JdbcConnectionPool database(String name) {
    return JdbcConnectionPool.create("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "example", "");
  }

  /** Completes when all are acknowledged. */
  CompletionStage<?> write(int from, int to) {
    List<CompletionStage<RecordMetadata>> written = new ArrayList<>();
    for (int i = from; i < to; i++) {
      Transfer transfer = new Transfer("account-" + i % ACCOUNTS, i % 7 * 100 - 250);
      truth.merge(transfer.account(), new Balance(transfer.cents(), 1), Balance::plus);
      written.add(
          producer.send(new ProducerRecord<>(Balances.TRANSFERS, transfer.account(), transfer)));
    }
    return written.stream()
        .reduce((all, next) -> all.thenCombine(next, (one, other) -> other))
        .orElseThrow();
  }

  /**
   * Waits until as many transfers are counted as were written.
   *
   * @return the balances
   * @throws IllegalStateException when they are not what was written, each once
   */
  Map<String, Balance> awaitTruth() throws SQLException, InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    Map<String, Balance> found = ReadModel.balances(database);
    while (transfers(found) < transfers(truth) && System.nanoTime() < until) {
      Thread.sleep(PAUSE_MILLIS);
      found = ReadModel.balances(database);
    }
    if (!found.equals(truth)) {
      throw new IllegalStateException("the read model has " + found + ", true is " + truth);
    }
    return found;
  }

  static long transfers(Map<String, Balance> balances) {
    return balances.values().stream().mapToLong(Balance::transfers).sum();
  }

  private void show() throws SQLException, InterruptedException {
    Map<String, Balance> balances = awaitTruth();
    Map<String, Integer> nodes = ReadModel.nodes(database);
    System.out.printf("each of %d transfers is counted once:%n", transfers(balances));
    balances.forEach(
        (account, it) ->
            System.out.printf(
                "  %s: %d cents by %d transfers, the last on node %d%n",
                account, it.cents(), it.transfers(), nodes.get(account)));
  }

  static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
