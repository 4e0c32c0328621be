package io.tidemark.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import akka.stream.javadsl.Sink;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.cli.local.FreePorts;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.client.TidemarkClient;
import io.tidemark.serialization.Serializer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingExampleTest {
  @TempDir private Path dir;

  @Test
  void the_readme_s_example_writes_a_record_and_reads_it_back() throws Exception {
    int port = FreePorts.find(1).get(0);
    // README: begin
    Config config =
        ConfigFactory.parseString(
                """
                akka.actor.provider = cluster
                akka.remote.artery.canonical { hostname = "127.0.0.1", port = %1$d }
                akka.cluster.seed-nodes = ["akka://shop@127.0.0.1:%1$d"]
                tidemark.broker.id = 1
                tidemark.controller.voters = ["127.0.0.1:%1$d"]
                tidemark.storage.directory = "%2$s"
                """
                    .formatted(port, dir.resolve("node-1")))
            .withFallback(ConfigFactory.load());
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "shop", config);
    TidemarkClient tidemark = Tidemark.get(system).client();

    Producer<String, String> orders =
        Producer.create(
            ProducerSettings.create(tidemark, Serializer.string(), Serializer.string()));
    CompletionStage<RecordMetadata> written =
        tidemark
            .createTopic("orders", 1, 1, Map.of())
            .thenCompose(
                topicId ->
                    orders.send(new ProducerRecord<>("orders", "customer-7", "two cups of tea")));

    CompletionStage<String> read =
        tidemark
            .reader("orders", 0)
            .thenCompose(reader -> reader.source(0).runWith(Sink.head(), system))
            .thenApply(record -> UTF_8.decode(record.value()).toString());
    // README: end
    assertEquals(0, written.toCompletableFuture().get(60, TimeUnit.SECONDS).offset());
    assertEquals("two cups of tea", read.toCompletableFuture().get(60, TimeUnit.SECONDS));
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void the_readme_shows_just_this_example() throws IOException {
    String source =
        Files.readString(
            Path.of("src/test/java").resolve(getClass().getName().replace('.', '/') + ".java"));
    Matcher example =
        Pattern.compile("// README: begin\\R(.*?)[ ]*// README: end", Pattern.DOTALL)
            .matcher(source);
    assertTrue(example.find());

    String readme = Files.readString(Path.of("..", "README.md"));

    assertTrue(
        readme.contains(example.group(1).stripTrailing().stripIndent().strip()),
        "README.md does not hold the example of " + getClass().getSimpleName());
  }
}
