package io.tidemark.journal;

import akka.NotUsed;
import akka.actor.ExtendedActorSystem;
import akka.persistence.query.EventEnvelope;
import akka.persistence.query.ReadJournalProvider;
import akka.persistence.query.javadsl.CurrentEventsByPersistenceIdQuery;
import akka.persistence.query.javadsl.CurrentPersistenceIdsQuery;
import akka.persistence.query.javadsl.EventsByPersistenceIdQuery;
import akka.persistence.query.javadsl.PersistenceIdsQuery;
import akka.persistence.query.javadsl.ReadJournal;
import akka.stream.javadsl.Source;
import com.typesafe.config.Config;
import io.tidemark.settings.SettingsReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The read journal plugin: acknowledged events, straight from the segment files. A deleted event is
 * left out, an unreadable one fails the stream.
 */
public final class SegmentReadJournal implements ReadJournalProvider {
  /** The path of its configuration, which is how to ask for it. */
  public static final String IDENTIFIER = "tidemark.read-journal";

  private final Java java;
  private final Scala scala;

  /** Made by Akka. */
  public SegmentReadJournal(ExtendedActorSystem system, Config config, String path) {
    java = new Java(system, refreshInterval(config.atPath(path), path));
    scala = new Scala(java);
  }

  /**
   * @param config with the plugin's settings at the path
   */
  static Duration refreshInterval(Config config, String path) {
    return Duration.ofMillis(
        new SettingsReader(config)
            .millis(path + ".refresh-interval", Duration.ofMillis(1), Duration.ofDays(1)));
  }

  @Override
  public Java javadslReadJournal() {
    return java;
  }

  @Override
  public Scala scaladslReadJournal() {
    return scala;
  }

  /** The queries for Java. */
  public static final class Java
      implements ReadJournal,
          CurrentEventsByPersistenceIdQuery,
          EventsByPersistenceIdQuery,
          CurrentPersistenceIdsQuery,
          PersistenceIdsQuery {
    private final SegmentLogs logs;
    private final EventCodec codec;
    private final Executor blocking;
    private final Duration refreshInterval;

    private Java(ExtendedActorSystem system, Duration refreshInterval) {
      Storage storage = Storage.get(system);
      this.logs = storage.logs();
      this.codec = new EventCodec(system, storage.buffers());
      this.blocking = system.dispatchers().lookup(SegmentJournal.BLOCKING);
      this.refreshInterval = refreshInterval;
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
        String persistenceId, long fromSequenceNr, long toSequenceNr) {
      return events(persistenceId, fromSequenceNr, toSequenceNr, false);
    }

    /** Ends when the last of the wanted events has been seen, otherwise never. */
    @Override
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
        String persistenceId, long fromSequenceNr, long toSequenceNr) {
      return events(persistenceId, fromSequenceNr, toSequenceNr, true);
    }

    private Source<EventEnvelope, NotUsed> events(
        String persistenceId, long from, long to, boolean live) {
      return Source.fromGraph(
          new EventSource(logs.log(persistenceId), codec, blocking, Math.max(1, from), to, live));
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds() {
      return Source.completionStage(listed()).mapConcat(ids -> ids);
    }

    /** New ids are seen within the refresh interval. */
    @Override
    public Source<String, NotUsed> persistenceIds() {
      return Source.tick(Duration.ZERO, refreshInterval, NotUsed.getInstance())
          .mapMaterializedValue(cancellable -> NotUsed.getInstance())
          .mapAsync(1, tick -> listed())
          .statefulMapConcat(
              () -> {
                Set<String> seen = new HashSet<>();
                return ids -> ids.stream().filter(seen::add).toList();
              });
    }

    private CompletableFuture<List<String>> listed() {
      return CompletableFuture.supplyAsync(
          () -> {
            try {
              return logs.persistenceIds();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          },
          blocking);
    }
  }

  /** The same queries for Scala. */
  public static final class Scala
      implements akka.persistence.query.scaladsl.ReadJournal,
          akka.persistence.query.scaladsl.CurrentEventsByPersistenceIdQuery,
          akka.persistence.query.scaladsl.EventsByPersistenceIdQuery,
          akka.persistence.query.scaladsl.CurrentPersistenceIdsQuery,
          akka.persistence.query.scaladsl.PersistenceIdsQuery {
    private final Java java;

    private Scala(Java java) {
      this.java = java;
    }

    @Override
    public akka.stream.scaladsl.Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
        String persistenceId, long fromSequenceNr, long toSequenceNr) {
      return java.currentEventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr)
          .asScala();
    }

    @Override
    public akka.stream.scaladsl.Source<EventEnvelope, NotUsed> eventsByPersistenceId(
        String persistenceId, long fromSequenceNr, long toSequenceNr) {
      return java.eventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr).asScala();
    }

    @Override
    public akka.stream.scaladsl.Source<String, NotUsed> currentPersistenceIds() {
      return java.currentPersistenceIds().asScala();
    }

    @Override
    public akka.stream.scaladsl.Source<String, NotUsed> persistenceIds() {
      return java.persistenceIds().asScala();
    }
  }
}
