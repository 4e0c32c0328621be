package io.tidemark.benchmark.kafka;

import io.tidemark.benchmark.Nodes;
import java.io.PrintStream;
import kafka.Kafka;
import kafka.tools.StorageTool;

/** A process that is a broker and a controller. */
public final class KafkaNode {
  private KafkaNode() {}

  /** Of a file of properties and the cluster's id. */
  public static void main(String[] args) {
    Nodes.endWithParent();
    int failed =
        StorageTool.execute(
            new String[] {"format", "--cluster-id", args[1], "--config", args[0]},
            new PrintStream(System.out, true));
    if (failed != 0) {
      System.exit(failed);
    }
    Kafka.main(new String[] {args[0]});
  }
}
