package io.tidemark.benchmark;

import java.util.function.Consumer;

/** A running cluster, as its client sees it. */
public interface Peer extends AutoCloseable {
  /** Starts a cluster on the nodes' processes, and returns when every partition has a leader. */
  interface Starter {
    Peer start(Plan plan, Nodes nodes) throws Exception;
  }

  /** Records in one request of {@link #send}. */
  int recordsInRequest();

  /**
   * Sends a request to a partition; waits while too many are in flight.
   *
   * @param request values of records, one after the other; the same array each time
   * @param done is given null when the request is acknowledged by a majority, or the failure
   */
  void send(int partition, byte[] request, Consumer<Throwable> done) throws Exception;

  /** How many records the cluster has, asked of the partitions' leaders. */
  long stored() throws Exception;

  /** Disconnects; the nodes end by themselves. */
  @Override
  void close();
}
