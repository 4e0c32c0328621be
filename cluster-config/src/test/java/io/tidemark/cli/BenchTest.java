package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTest {
  @TempDir private Path dir;

  @Test
  void a_short_throughput_run_loses_nothing_and_leaves_nothing() throws Exception {
    CommandLineProcess bench = start("throughput --size 100 --partitions 2 --seconds 2 --warmup 0");

    assertEquals(0, bench.awaitExit(), () -> bench.output() + bench.error());
    JsonNode found = bench.json();
    assertTrue(found.get("recordsPerSecond").intValue() > 0, found::toString);
    assertTrue(found.get("fsyncs").intValue() > 0, found::toString);
    assertTrue(found.get("bytesPerRecord").doubleValue() > 100, found::toString);
    assertEquals(0, found.get("lost").intValue());
    assertEquals(0, found.get("duplicates").intValue());
    assertTrue(bench.childrenSeen() >= 3, "children seen: " + bench.childrenSeen());
    bench.assertNothingLeft();
  }

  @Test
  void a_node_that_ends_by_itself_is_told_with_the_end_of_its_log() throws Exception {
    CommandLineProcess bench =
        start("latency --node-option=-Dtidemark.controller.election-timeout=1ms");

    assertEquals(1, bench.awaitExit(), bench::error);
    assertTrue(bench.error().contains("ended by itself; the end of what it printed"), bench::error);
    assertTrue(bench.error().contains("election-timeout"), bench::error);
    bench.assertNothingLeft();
  }

  private CommandLineProcess start(String arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of("bench"));
    words.addAll(Arrays.asList(arguments.split(" ")));
    words.addAll(
        List.of(
            "--json",
            "--node-option=-Xms64m",
            "--node-option=-XX:+UseSerialGC",
            "--node-option=-XX:TieredStopAtLevel=1"));
    return new CommandLineProcess(dir, words);
  }
}
