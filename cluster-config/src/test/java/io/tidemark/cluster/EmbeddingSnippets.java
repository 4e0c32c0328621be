package io.tidemark.cluster;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import io.tidemark.client.ClusterNodes;
import io.tidemark.client.Consumer.DrainingControl;
import io.tidemark.client.TidemarkClient;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;

/** The code of docs/embedding.md; {@link DocSnippetsTest} holds the two together. */
final class EmbeddingSnippets {
  private EmbeddingSnippets() {}

  static TidemarkClient start(Behavior<Void> guardian, Logger log) {
    ActorSystem<Void> system = ActorSystem.create(guardian, "shop");
    Tidemark node = Tidemark.get(system);
    node.refused()
        .thenAccept(
            reason -> {
              log.error("not a node of this cluster: {}", reason);
              system.terminate();
            });
    TidemarkClient tidemark = node.client();
    return tidemark;
  }

  static void join(ActorSystem<Void> system, Tidemark node) {
    node.joinCluster(system::terminate);
  }

  static TidemarkClient beside(ActorSystem<Void> system) {
    TidemarkClient tidemark =
        new TidemarkClient(
            system, new ClusterNodes(system, List.of("10.0.0.1:25520", "10.0.0.2:25520")));
    return tidemark;
  }

  static void drain(ActorSystem<Void> system, DrainingControl<Done> billing) {
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseServiceRequestsDone(),
            "drain-orders",
            () -> billing.drainAndShutdown());
  }

  static CompletionStage<Boolean> inSync(TidemarkClient tidemark) {
    CompletionStage<Boolean> inSync =
        tidemark
            .describeTopic("orders")
            .thenApply(
                topic ->
                    topic.partitions().stream()
                        .allMatch(it -> it.isr().size() == it.replicas().size()));
    return inSync;
  }
}
