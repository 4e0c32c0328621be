package io.tidemark.client;

import io.tidemark.group.GroupRequests;
import io.tidemark.protocol.CommittedOffset;
import io.tidemark.protocol.ControllerRequest.CreateGroupsTopic;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.GroupRequest;
import io.tidemark.protocol.GroupRequest.FetchOffsets;
import io.tidemark.protocol.GroupResponse;
import io.tidemark.protocol.PartitionState;
import io.tidemark.wire.BrokerMessage;
import io.tidemark.wire.BrokerMessage.DescribeTopic;
import io.tidemark.wire.BrokerMessage.GroupAnswered;
import io.tidemark.wire.BrokerMessage.TopicDescribed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks a group's coordinator how far the group has come, wherever it is. */
final class GroupOffsets {
  private static final Duration ANSWER = Duration.ofSeconds(3);

  private final ClusterNodes nodes;
  private final Asking asking;

  GroupOffsets(ClusterNodes nodes, Asking asking) {
    this.nodes = nodes;
    this.asking = asking;
  }

  /** Fails with {@link GroupFailure}. */
  CompletionStage<List<CommittedOffset>> of(String groupId) {
    return Asking.orFail(
            asking.untilFinal(
                patience -> askCoordinator(new FetchOffsets(groupId), patience),
                response -> !response.error().isRetriable()),
            reason -> new GroupFailure(ErrorCode.REQUEST_TIMED_OUT, groupId, reason))
        .thenCompose(
            response -> {
              if (response instanceof GroupResponse.OffsetsFetched fetched) {
                return CompletableFuture.completedStage(fetched.offsets());
              }
              String reason =
                  response instanceof GroupResponse.Failed failed
                      ? failed.message()
                      : "unexpected answer " + response;
              return CompletableFuture.failedStage(
                  new GroupFailure(response.error(), groupId, reason));
            });
  }

  /**
   * @param patience with it and with who tells where it is, half of it with each
   */
  private CompletionStage<GroupResponse> askCoordinator(GroupRequest request, Duration patience) {
    Duration each = Asking.least(ANSWER, patience.dividedBy(2));
    return nodes
        .askAny(
            TopicDescribed.class,
            replyTo -> new DescribeTopic(CreateGroupsTopic.NAME, replyTo),
            each)
        .thenCompose(
            topic -> {
              List<PartitionState> partitions = topic.partitions();
              int leader =
                  partitions.isEmpty()
                      ? PartitionState.NO_LEADER
                      : partitions
                          .get(GroupRequests.partitionOf(request.groupId(), partitions.size()))
                          .leader();
              String address = topic.brokers().get(leader);
              return address == null
                  ? CompletableFuture.completedStage(
                      new GroupResponse.Failed(
                          ErrorCode.LEADER_NOT_AVAILABLE,
                          "it has no coordinator at the moment; ask again"))
                  : nodes
                      .ask(
                          address,
                          GroupAnswered.class,
                          replyTo -> new BrokerMessage.AskGroup(0, request, replyTo),
                          each)
                      .thenApply(GroupAnswered::response);
            });
  }
}
