package io.tidemark.benchmark.kafka;

import io.tidemark.benchmark.Nodes;
import io.tidemark.benchmark.Peer;
import io.tidemark.benchmark.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Three combined nodes, and an idempotent producer with acks=all. */
final class KafkaPeer implements Peer {
  private static final String TOPIC = "records";

  private final Plan plan;
  private final Admin admin;
  private final KafkaProducer<byte[], byte[]> producer;

  private KafkaPeer(Plan plan, String servers) {
    this.plan = plan;
    admin =
        Admin.create(
            Map.of(
                "bootstrap.servers",
                servers,
                "default.api.timeout.ms",
                5000,
                "request.timeout.ms",
                5000));
    producer = new KafkaProducer<>(settings(plan, servers), serializer(), serializer());
  }

  private static ByteArraySerializer serializer() {
    return new ByteArraySerializer();
  }

  static KafkaPeer start(Plan plan, Nodes nodes) throws Exception {
    List<Integer> ports = Nodes.freePorts(2 * Nodes.COUNT);
    String cluster = Uuid.randomUuid().toString();
    for (int node = 0; node < Nodes.COUNT; node++) {
      Path properties = properties(node, ports, nodes.directory(node));
      nodes.start(node, KafkaNode.class, List.of(properties.toString(), cluster));
    }
    KafkaPeer peer = new KafkaPeer(plan, addresses(ports.subList(0, Nodes.COUNT), node -> ""));
    try {
      peer.createTopic(nodes);
      return peer;
    } catch (Exception e) {
      peer.close();
      throw e;
    }
  }

  private static Path properties(int node, List<Integer> ports, Path directory) throws IOException {
    String voters =
        addresses(ports.subList(Nodes.COUNT, 2 * Nodes.COUNT), voter -> (voter + 1) + "@");
    return Files.writeString(
        directory.resolve("server.properties"),
        """
        process.roles=broker,controller
        node.id=%d
        listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
        controller.listener.names=CONTROLLER
        controller.quorum.voters=%s
        log.dirs=%s
        auto.create.topics.enable=false
        """
            .formatted(
                node + 1,
                ports.get(node),
                ports.get(Nodes.COUNT + node),
                voters,
                directory.resolve("data")));
  }

  private static String addresses(List<Integer> ports, Function<Integer, String> prefix) {
    return IntStream.range(0, ports.size())
        .mapToObj(node -> prefix.apply(node) + "127.0.0.1:" + ports.get(node))
        .collect(Collectors.joining(","));
  }

  private void createTopic(Nodes nodes) throws Exception {
    nodes.await("three brokers", () -> admin.describeCluster().nodes().get().size() == Nodes.COUNT);
    Map<String, String> settings = new HashMap<>(Map.of("min.insync.replicas", "2"));
    if (plan.flush == Plan.Flush.EACH_COMMIT) {
      settings.put("flush.messages", "1");
    }
    NewTopic topic = new NewTopic(TOPIC, plan.partitions, (short) Nodes.COUNT).configs(settings);
    admin.createTopics(List.of(topic)).all().get();
    nodes.await(
        "all replicas in sync",
        () ->
            admin
                    .describeTopics(List.of(TOPIC))
                    .topicNameValues()
                    .get(TOPIC)
                    .get()
                    .partitions()
                    .stream()
                    .filter(it -> it.leader() != null && it.isr().size() == Nodes.COUNT)
                    .count()
                == plan.partitions);
  }

  private static Map<String, Object> settings(Plan plan, String servers) {
    boolean latency = plan.workload == Plan.Workload.LATENCY;
    return Map.of(
        "bootstrap.servers",
        servers,
        "acks",
        "all",
        "enable.idempotence",
        true,
        "linger.ms",
        latency ? 0 : 5,
        "batch.size",
        Plan.BATCH_BYTES,
        "buffer.memory",
        64L << 20);
  }

  /** The producer gathers the records. */
  @Override
  public int recordsInRequest() {
    return 1;
  }

  @Override
  public void send(int partition, byte[] request, Consumer<Throwable> done) {
    producer.send(
        new ProducerRecord<>(TOPIC, partition, null, request),
        (metadata, failure) -> done.accept(failure));
  }

  @Override
  public long stored() throws Exception {
    Map<TopicPartition, OffsetSpec> ends =
        IntStream.range(0, plan.partitions)
            .mapToObj(partition -> new TopicPartition(TOPIC, partition))
            .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
    return admin.listOffsets(ends).all().get().values().stream()
        .mapToLong(ListOffsetsResultInfo::offset)
        .sum();
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    admin.close(Duration.ZERO);
  }
}
