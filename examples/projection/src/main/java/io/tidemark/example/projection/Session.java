package io.tidemark.example.projection;

import akka.japi.function.Function;
import akka.projection.jdbc.JdbcSession;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A transaction: what the handler writes and the offset behind it, which are committed together or
 * not at all.
 */
final class Session implements JdbcSession {
  private final Connection connection;

  Session(DataSource database) {
    try {
      connection = database.getConnection();
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw new IllegalStateException("the database gives no connection", e);
    }
  }

  @Override
  public <T> T withConnection(Function<Connection, T> use) throws Exception {
    return use.apply(connection);
  }

  @Override
  public void commit() throws SQLException {
    connection.commit();
  }

  @Override
  public void rollback() throws SQLException {
    connection.rollback();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
