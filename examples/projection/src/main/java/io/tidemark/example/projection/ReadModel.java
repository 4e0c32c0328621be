package io.tidemark.example.projection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** The table of balances, which also has the nodes that counted last. */
final class ReadModel {
  private static final String CREATE =
      "CREATE TABLE IF NOT EXISTS balances"
          + " (account VARCHAR(255) PRIMARY KEY, cents BIGINT, transfers BIGINT, node INT)";

  private static final String ADD =
      "MERGE INTO balances USING (VALUES (CAST(? AS VARCHAR(255)), CAST(? AS BIGINT), CAST(? AS INT)))"
          + " AS more (account, cents, node) ON balances.account = more.account"
          + " WHEN MATCHED THEN UPDATE SET cents = balances.cents + more.cents,"
          + " transfers = balances.transfers + 1, node = more.node"
          + " WHEN NOT MATCHED THEN INSERT VALUES (more.account, more.cents, 1, more.node)";

  private static final String ALL = "SELECT account, cents, transfers, node FROM balances";

  private ReadModel() {}

  static void create(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(CREATE);
    }
  }

  /** Adding twice is wrong: it depends on the projection that this is done once. */
  static void add(Connection connection, Transfer transfer, int node) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ADD)) {
      statement.setString(1, transfer.account());
      statement.setLong(2, transfer.cents());
      statement.setInt(3, node);
      statement.executeUpdate();
    }
  }

  static Map<String, Balance> balances(DataSource database) throws SQLException {
    return rows(database, row -> new Balance(row.getLong(2), row.getLong(3)));
  }

  /** By account. */
  static Map<String, Integer> nodes(DataSource database) throws SQLException {
    return rows(database, row -> row.getInt(4));
  }

  private interface Row<T> {
    T of(ResultSet row) throws SQLException;
  }

  private static <T> Map<String, T> rows(DataSource database, Row<T> read) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(ALL)) {
      Map<String, T> found = new TreeMap<>();
      while (rows.next()) {
        found.put(rows.getString(1), read.of(rows));
      }
      return found;
    }
  }
}
