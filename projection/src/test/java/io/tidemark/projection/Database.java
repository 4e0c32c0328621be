package io.tidemark.projection;

import akka.actor.typed.ActorSystem;
import akka.projection.jdbc.javadsl.JdbcProjection;
import io.tidemark.testkit.TidemarkTestKit;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** A database in memory, for a test's read model and for the offsets of its projections. */
final class Database implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;
  private static final long PAUSE_MILLIS = 10;

  private final JdbcConnectionPool pool =
      JdbcConnectionPool.create(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "test", "");

  /** A node or three with projections that do not wait for long before they begin again. */
  static TidemarkTestKit singleNode() {
    return TidemarkTestKit.singleNode()
        .withSettings(
            """
            akka.projection {
              jdbc.dialect = h2-dialect
              jdbc.blocking-jdbc-dispatcher.thread-pool-executor.fixed-pool-size = 4
              restart-backoff { min-backoff = 50 ms, max-backoff = 200 ms }
            }
            """);
  }

  void createTables(ActorSystem<?> system, String readModel) throws Exception {
    await(JdbcProjection.createTablesIfNotExists(this::session, system));
    execute(readModel);
  }

  DataSource source() {
    return pool;
  }

  Session session() {
    return new Session(pool);
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The columns of each row as one text. */
  List<String> rows(String query) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (found.next()) {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          columns.add(found.getString(i));
        }
        rows.add(String.join(" ", columns));
      }
      return rows;
    }
  }

  /** Asks again until it holds. */
  List<String> await(String query, Predicate<List<String>> condition) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    List<String> rows = rows(query);
    while (!condition.test(rows)) {
      if (System.nanoTime() > until) {
        throw new AssertionError("last seen: " + rows);
      }
      Thread.sleep(PAUSE_MILLIS);
      rows = rows(query);
    }
    return rows;
  }

  static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws SQLException {
    execute("SHUTDOWN");
    pool.dispose();
  }
}
