package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillAllTest {
  private static final int LINES = 20_000;

  @TempDir private Path dir;

  @Test
  void all_nodes_are_killed_at_once_and_every_acknowledged_record_is_there() throws Exception {
    Path input = dir.resolve("input");
    Files.write(input, IntStream.range(0, LINES).mapToObj(i -> "line " + i).toList());

    CommandLineProcess demo =
        new CommandLineProcess(dir, List.of("demo", "--kill-all", "--json", input.toString()));

    assertEquals(0, demo.awaitExit(), () -> demo.output() + demo.error());
    JsonNode found = demo.json();
    assertTrue(found.get("ok").booleanValue());
    assertEquals(LINES, found.get("records").intValue());
    assertEquals(LINES, found.get("acked").intValue());
    assertEquals(LINES, found.get("read").intValue());
    assertEquals(0, found.get("lost").intValue());
    assertEquals(0, found.get("duplicated").intValue());
    assertEquals(0, found.get("reordered").intValue());
    assertEquals(0, found.get("killedBroker").intValue());
    assertTrue(found.get("isrRestored").booleanValue());
    assertTrue(found.get("replicasIdentical").booleanValue());
    assertTrue(demo.childrenSeen() >= 3, "children seen: " + demo.childrenSeen());
    demo.assertNothingLeft();
  }
}
