package io.tidemark.example.projection;

import akka.Done;
import akka.projection.jdbc.javadsl.JdbcHandler;
import io.tidemark.client.ConsumerRecord;

/** Adds a record to its account's balance, on the dispatcher for what blocks. */
class TransferHandler extends JdbcHandler<ConsumerRecord<String, Transfer>, Session> {
  private final int node;

  TransferHandler(int node) {
    this.node = node;
  }

  @Override
  public void process(Session session, ConsumerRecord<String, Transfer> record) throws Exception {
    session.withConnection(
        connection -> {
          ReadModel.add(connection, record.value(), node);
          return Done.getInstance();
        });
  }
}
