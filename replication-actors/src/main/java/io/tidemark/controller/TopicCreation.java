package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ControllerRequest.CreateTopic;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord.PartitionChanged;
import io.tidemark.protocol.MetadataRecord.TopicCreated;
import io.tidemark.protocol.PartitionId;
import io.tidemark.protocol.PartitionState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Creates a topic with all of its partitions in one batch, so that nobody sees half of it. */
final class TopicCreation {
  static final int MAX_PARTITIONS = 1_000;

  /** A broker that fails changes all its partitions in one batch, which must fit. */
  static final int MAX_PARTITIONS_IN_ALL = 10_000;

  /** Kafka's rule, so that names may move between the two. */
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

  /** For ever: they decide which coordinator a group has. */
  private static final int GROUPS_PARTITIONS = 8;

  private static final int GROUPS_REPLICAS = 3;

  /** What the coordinators rely on, whatever is set for other topics. */
  private static final Map<String, String> GROUPS_CONFIG =
      Map.of(
          TopicConfig.MIN_INSYNC_REPLICAS, "2",
          TopicConfig.UNCLEAN_LEADER_ELECTION, "false",
          TopicConfig.MAX_MESSAGE_BYTES, "1052672",
          TopicConfig.RETENTION_BYTES, "unlimited",
          TopicConfig.RETENTION_TIME, "unlimited");

  private TopicCreation() {}

  /** The internal topic of the groups, once. */
  static ControllerResponse createForGroups(CreateGroupsTopic request, Changes changes) {
    Topic known = changes.image().topicsByName().get(CreateGroupsTopic.NAME);
    if (known != null) {
      return new ControllerResponse.TopicCreated(ErrorCode.NONE, known.id());
    }
    int brokers = changes.image().brokers().size();
    int replicas = Math.min(GROUPS_REPLICAS, Math.max(brokers, request.brokers()));
    if (brokers < replicas) {
      return refuse(
          ErrorCode.LEADER_NOT_AVAILABLE,
          "topic '%s' is to have %d replicas, and %d brokers are registered; try again",
          CreateGroupsTopic.NAME,
          replicas,
          brokers);
    }
    return place(
        new CreateTopic(
            request.topicId(), CreateGroupsTopic.NAME, GROUPS_PARTITIONS, replicas, GROUPS_CONFIG),
        Map.of(),
        changes);
  }

  /**
   * @param defaults written into the topic where it says nothing itself: they may differ between
   *     nodes, and change, but what a topic was created with may not
   */
  static ControllerResponse create(
      CreateTopic request, Map<String, String> defaults, Changes changes) {
    MetadataImage image = changes.image();
    String name = request.name();
    if (name == null || !NAME.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      return refuse(
          ErrorCode.INVALID_TOPIC,
          "topic name '%s'; allowed: 1 to 249 of a-z, A-Z, 0-9, '.', '_', '-', but not '.' or '..'",
          name);
    }
    if (name.equals(CreateGroupsTopic.NAME)) {
      return refuse(
          ErrorCode.INVALID_TOPIC,
          "topic '%s' is internal: it comes by itself with the first consumer group",
          name);
    }
    if (request.topicId() == null) {
      return refuse(ErrorCode.INVALID_REQUEST, "topic '%s' without a topic id", name);
    }
    Topic known = image.topicsByName().get(name);
    if (known != null && known.id().equals(request.topicId())) {
      // The answer to an earlier try was lost, with the controller that gave it or on its way.
      return new ControllerResponse.TopicCreated(ErrorCode.NONE, known.id());
    }
    if (known != null || image.topicsById().containsKey(request.topicId())) {
      return refuse(ErrorCode.TOPIC_ALREADY_EXISTS, "topic '%s' exists", name);
    }
    if (request.partitions() < 1 || request.partitions() > MAX_PARTITIONS) {
      return refuse(
          ErrorCode.INVALID_REQUEST,
          "topic '%s' with %d partitions; allowed: 1 to %d",
          name,
          request.partitions(),
          MAX_PARTITIONS);
    }
    if (image.partitions().size() + request.partitions() > MAX_PARTITIONS_IN_ALL) {
      return refuse(
          ErrorCode.INVALID_REQUEST,
          "topic '%s' with %d partitions; all topics together may have %d and have %d",
          name,
          request.partitions(),
          MAX_PARTITIONS_IN_ALL,
          image.partitions().size());
    }
    return place(request, defaults, changes);
  }

  private static ControllerResponse place(
      CreateTopic request, Map<String, String> defaults, Changes changes) {
    MetadataImage image = changes.image();
    if (image.brokers().values().stream().noneMatch(Broker::eligible)) {
      return refuse(
          ErrorCode.LEADER_NOT_AVAILABLE,
          "topic '%s': no broker is up to hold it; try again",
          request.name());
    }
    int brokers = image.brokers().size();
    int replicationFactor = request.replicationFactor();
    if (replicationFactor < 1 || replicationFactor > brokers) {
      return refuse(
          ErrorCode.INVALID_REPLICATION_FACTOR,
          "topic '%s' with replication factor %d; allowed: 1 to the number of brokers, %d",
          request.name(),
          replicationFactor,
          brokers);
    }
    if (request.configs() == null) {
      return refuse(ErrorCode.INVALID_CONFIG, "topic '%s' without its settings", request.name());
    }
    Map<String, String> configs = new HashMap<>(defaults);
    configs.putAll(request.configs());
    TopicConfig config;
    try {
      config = TopicConfig.parse(configs);
    } catch (IllegalArgumentException e) {
      return refuse(ErrorCode.INVALID_CONFIG, "topic '%s': %s", request.name(), e.getMessage());
    }
    changes.add(new TopicCreated(request.name(), request.topicId(), configs));
    LeaderElection election = new LeaderElection(image.brokers(), config);
    int partition = 0;
    for (List<Integer> replicas : placement(request, image)) {
      PartitionState state = election.create(replicas);
      changes.add(new PartitionChanged(new PartitionId(request.topicId(), partition++), state));
    }
    return new ControllerResponse.TopicCreated(ErrorCode.NONE, request.topicId());
  }

  private static List<List<Integer>> placement(CreateTopic request, MetadataImage image) {
    return new ReplicaPlacement(image.brokers().values())
        .place(
            request.partitions(),
            request.replicationFactor(),
            Long.hashCode(request.topicId().getLeastSignificantBits()),
            Long.hashCode(request.topicId().getMostSignificantBits()));
  }
}
