package io.tidemark.cli.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.local.AcksOption;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TidemarkClient;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.serialization.Serializer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** What is written, and how. */
final class LoadOptions {
  private static final int MAX_SIZE = 1_000_000;
  private static final int MAX_PARTITIONS = 1_000;
  private static final int MAX_LINGER = 10_000;
  private static final Config DEFAULTS =
      ConfigFactory.defaultReference().getConfig(ProducerSettings.CONFIG_PATH);

  /** What may be on its way, by our own account; the producer refuses only far above it. */
  static final long MEMORY = 32L << 20;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Of each record's value (default: ${DEFAULT-VALUE}).")
  private int size = 1_024;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "Written to in turn, with three replicas each (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(names = "--acks", description = "all, leader or none (default: ${DEFAULT-VALUE}).")
  private String acks = "all";

  @Option(
      names = "--batch",
      paramLabel = "BYTES",
      description = "The producer's batch-size (default: ${DEFAULT-VALUE}).")
  private int batch = DEFAULTS.getBytes("batch-size").intValue();

  @Option(
      names = "--linger",
      paramLabel = "MS",
      description =
          "How long a record may wait for others, in milliseconds (default: ${DEFAULT-VALUE}).")
  private int linger = (int) DEFAULTS.getDuration("linger").toMillis();

  private Acks parsedAcks;

  /**
   * @param partitions unless it is told otherwise
   */
  LoadOptions(int partitions) {
    this.partitions = partitions;
  }

  /** Call it first. */
  void check(ClusterOptions cluster) {
    cluster.require("--size", size, 1, MAX_SIZE);
    cluster.require("--partitions", partitions, 1, MAX_PARTITIONS);
    cluster.require("--batch", batch, 1_024, 1 << 20);
    cluster.require("--linger", linger, 0, MAX_LINGER);
    parsedAcks = AcksOption.parse(acks, cluster::wrong);
  }

  void addTo(Map<String, Object> parameters) {
    parameters.put("size", size);
    parameters.put("partitions", partitions);
    parameters.put("acks", parsedAcks.name().toLowerCase(Locale.ROOT));
    parameters.put("batch", batch);
    parameters.put("linger", linger);
  }

  Acks acks() {
    return parsedAcks;
  }

  /** With a producer of its own. */
  Writer.Target target(TidemarkClient client, String topic) {
    ProducerSettings<ByteBuffer, ByteBuffer> settings =
        ProducerSettings.create(client, Serializer.byteBuffer(), Serializer.byteBuffer())
            .withAcks(parsedAcks)
            .withBatchSize(batch)
            .withLinger(Duration.ofMillis(linger))
            .withBufferMemory(4 * MEMORY);
    return new Writer.Target(Producer.create(settings), topic, size);
  }

  int size() {
    return size;
  }

  int partitions() {
    return partitions;
  }

  /** Room for one of so many writers. */
  Room room(int writers) {
    return new Room(MEMORY / writers, size);
  }
}
