package io.tidemark.example.map;

import akka.Done;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.AskPattern;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.RecordMetadata;
import io.tidemark.client.TidemarkClient;
import io.tidemark.cluster.Tidemark;
import io.tidemark.serialization.Serializer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A map of texts that all nodes share. Writes go through the partition, which puts them in order
 * and keeps them; reads are answered by the node's own copy, as new as the caller wants it.
 */
public final class ReplicatedMap {
  /** With one partition, whose order is the map's. */
  public static final String TOPIC = "map";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ActorSystem<?> system;
  private final Producer<String, String> producer;
  private final ActorRef<MapCopy.Command> copy;

  private ReplicatedMap(ActorSystem<?> system, TidemarkClient tidemark) {
    this.system = system;
    this.producer =
        Producer.create(
            ProducerSettings.create(tidemark, Serializer.string(), Serializer.string()));
    this.copy = system.systemActorOf(MapCopy.create(tidemark), "map", Props.empty());
  }

  /** Once a node. */
  public static ReplicatedMap start(ActorSystem<?> system) {
    return new ReplicatedMap(system, Tidemark.get(system).client());
  }

  /** Completes when the write is on all in-sync replicas, with the offset to read it at. */
  public CompletionStage<Long> put(String key, String value) {
    return write(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
  }

  /** As {@link #put}. */
  public CompletionStage<Long> remove(String key) {
    return write(Objects.requireNonNull(key, "key"), null);
  }

  private CompletionStage<Long> write(String key, String value) {
    return producer
        .send(new ProducerRecord<>(TOPIC, 0, key, value))
        .thenApply(RecordMetadata::offset);
  }

  /** What this node's copy has now, which may be a little old. */
  public CompletionStage<Optional<String>> get(String key) {
    return get(key, -1);
  }

  /**
   * The key's value after a write: with the offset that a write has returned, on whatever node, its
   * reader sees that write or a later one.
   */
  public CompletionStage<Optional<String>> get(String key, long atLeast) {
    return AskPattern.askWithStatus(
        copy, replyTo -> new MapCopy.Get(key, atLeast, replyTo), PATIENCE, system.scheduler());
  }

  /**
   * A linearizable read: sees every write that was acknowledged to anybody before it was called. It
   * writes a mark and reads behind it, since only what is committed proves that nobody else leads:
   * a leader that is cut off, and does not know it yet, would tell an older latest offset.
   */
  public CompletionStage<Optional<String>> getLatest(String key) {
    return write(null, null).thenCompose(mark -> get(key, mark));
  }

  /** Takes no more writes; completes when those under way are done. */
  public CompletionStage<Done> close() {
    return producer.close();
  }
}
