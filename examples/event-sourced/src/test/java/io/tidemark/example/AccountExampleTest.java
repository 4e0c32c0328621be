package io.tidemark.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.persistence.query.EventEnvelope;
import akka.persistence.query.javadsl.CurrentEventsByTagQuery;
import akka.persistence.query.javadsl.EventsByTagQuery;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.tidemark.example.AccountExample.Visit;
import io.tidemark.journal.SegmentReadJournal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountExampleTest {
  private static final int DEPOSITS = 220;

  @TempDir Path directory;

  private Config config() {
    return ConfigFactory.parseString(
            "tidemark.storage.segment { initial-size = 4K, max-size = 4K }")
        .withFallback(AccountExample.in(directory.toString()));
  }

  private List<String> files(String folder) throws Exception {
    try (Stream<Path> files = Files.list(directory.resolve(folder).resolve("account%7c4711"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void the_balance_survives_restarts_and_deleted_events_leave_the_disk() throws Exception {
    Visit first = AccountExample.visit(config(), DEPOSITS);

    assertEquals(0, first.before());
    assertEquals(DEPOSITS * 10 - 1, first.after());
    List<Long> numbers = first.events().stream().map(EventEnvelope::sequenceNr).toList();
    long begin = numbers.get(0);
    assertEquals(101, begin, "what two snapshots before the newest hold is deleted");
    assertEquals(LongStream.rangeClosed(begin, DEPOSITS + 1).boxed().toList(), numbers);
    assertEquals(new Account.Deposited(10), first.events().get(0).event());
    assertEquals(new Account.Withdrawn(1), first.events().get(first.events().size() - 1).event());
    List<String> segments = files("journal").stream().filter(it -> it.endsWith(".seg")).toList();
    assertFalse(segments.contains("0000000000000000001.seg"), segments::toString);
    assertTrue(segments.size() > 1, segments::toString);

    Visit second = AccountExample.visit(config(), 3);

    assertEquals(first.after(), second.before());
    assertEquals(first.after() + 29, second.after());
  }

  @Test
  void queries_by_tag_are_not_offered() {
    assertFalse(CurrentEventsByTagQuery.class.isAssignableFrom(SegmentReadJournal.Java.class));
    assertFalse(EventsByTagQuery.class.isAssignableFrom(SegmentReadJournal.Java.class));
  }

  @Test
  void without_a_directory_its_usage_is_shown_before_anything_is_built() throws Exception {
    Path maven = Files.writeString(directory.resolve("mvn"), "#!/bin/sh\necho built >&2\n");
    assertTrue(maven.toFile().setExecutable(true));
    ProcessBuilder run = new ProcessBuilder("./run").redirectErrorStream(true);
    run.environment().merge("PATH", directory.toString(), (old, first) -> first + ":" + old);

    Process process = run.start();
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertEquals("usage: examples/event-sourced/run DIRECTORY\n", told);
    assertEquals(2, process.waitFor());
  }
}
