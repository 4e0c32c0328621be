package io.tidemark.example.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.tidemark.testkit.TidemarkTestKit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReplicatedMapTest {
  private static final List<Integer> NODES = List.of(1, 2, 3);

  @RegisterExtension private static final TidemarkTestKit TIDEMARK = TidemarkTestKit.threeNodes();

  private static final Map<Integer, ReplicatedMap> MAPS = new HashMap<>();

  @BeforeAll
  static void start() {
    TIDEMARK.createTopic(ReplicatedMap.TOPIC, 1);
    NODES.forEach(ReplicatedMapTest::start);
  }

  private static void start(int id) {
    MAPS.put(id, ReplicatedMap.start(TIDEMARK.node(id)));
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  /** Each key by each node in turn, so that all nodes overwrite each other's values. */
  private static long write(int from, int to, List<Integer> nodes) throws Exception {
    List<CompletionStage<Long>> writes = new ArrayList<>();
    for (int i = from; i < to; i++) {
      ReplicatedMap map = MAPS.get(nodes.get(i % nodes.size()));
      writes.add(i % 10 == 9 ? map.remove("key-" + i % 7) : map.put("key-" + i % 7, "value-" + i));
    }
    long last = -1;
    for (CompletionStage<Long> write : writes) {
      last = Math.max(last, await(write));
    }
    return last;
  }

  private static Map<String, Optional<String>> copy(int id, long offset) throws Exception {
    Map<String, Optional<String>> found = new HashMap<>();
    for (int key = 0; key < 7; key++) {
      found.put("key-" + key, await(MAPS.get(id).get("key-" + key, offset)));
    }
    return found;
  }

  @Test
  void all_copies_are_equal_also_that_of_a_node_that_was_stopped_meanwhile() throws Exception {
    long last = write(0, 300, NODES);
    Map<String, Optional<String>> expected = copy(1, last);
    assertEquals(expected, copy(2, last));
    assertEquals(expected, copy(3, last));

    int stopped = TIDEMARK.leader(ReplicatedMap.TOPIC, 0);
    TIDEMARK.stop(stopped);
    List<Integer> others = NODES.stream().filter(id -> id != stopped).toList();
    long later = write(300, 600, others);
    TIDEMARK.restart(stopped);
    start(stopped);

    Map<String, Optional<String>> newer = copy(others.get(0), later);
    assertEquals(newer, copy(others.get(1), later));
    assertEquals(newer, copy(stopped, later));
    assertEquals(7, newer.size());
  }

  @Test
  void a_read_sees_what_was_written_on_another_node_before_it() throws Exception {
    for (int i = 0; i < 50; i++) {
      ReplicatedMap writer = MAPS.get(i % 3 + 1);
      ReplicatedMap reader = MAPS.get((i + 1) % 3 + 1);

      long offset = await(writer.put("own", "value-" + i));
      assertEquals(Optional.of("value-" + i), await(reader.get("own", offset)));
      await(writer.put("any", "value-" + i));
      assertEquals(Optional.of("value-" + i), await(reader.getLatest("any")));
    }
    await(MAPS.get(1).remove("own"));
    assertEquals(Optional.empty(), await(MAPS.get(2).getLatest("own")));
  }

  @Test
  void a_read_at_an_offset_waits_until_that_is_written() throws Exception {
    long last = await(MAPS.get(1).put("awaited", "old"));
    var early = MAPS.get(1).get("awaited", last + 1).toCompletableFuture();
    assertEquals(Optional.of("old"), await(MAPS.get(1).get("awaited", last)));
    assertFalse(early.isDone());

    await(MAPS.get(2).put("awaited", "new"));

    assertEquals(Optional.of("new"), await(early));
  }
}
