package io.tidemark.example.map;

import io.tidemark.testkit.TidemarkTestKit;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The map on three nodes, one of which is killed and comes back. */
public final class MapExample {
  private MapExample() {}

  public static void main(String[] args) throws Exception {
    try (TidemarkTestKit nodes = TidemarkTestKit.threeNodes().start()) {
      nodes.createTopic(ReplicatedMap.TOPIC, 1);
      Map<Integer, ReplicatedMap> maps = new HashMap<>();
      for (int id = 1; id <= 3; id++) {
        maps.put(id, ReplicatedMap.start(nodes.node(id)));
      }

      long tea = await(maps.get(1).put("drink", "tea"));
      say("node 1 puts drink = tea, which is offset " + tea);
      for (int id = 1; id <= 3; id++) {
        say("node " + id + " gets drink at that offset: " + await(maps.get(id).get("drink", tea)));
      }

      int killed = nodes.leader(ReplicatedMap.TOPIC, 0);
      nodes.kill(killed);
      say("node " + killed + ", the partition's leader, is killed");
      int other = killed % 3 + 1;
      long coffee = await(maps.get(other).put("drink", "coffee"));
      say("node " + other + " puts drink = coffee, which is offset " + coffee);
      int third = other % 3 + 1;
      say("node " + third + " gets the latest drink: " + await(maps.get(third).getLatest("drink")));

      nodes.restart(killed);
      maps.put(killed, ReplicatedMap.start(nodes.node(killed)));
      say("node " + killed + " starts again, with an empty copy");
      say(
          "node "
              + killed
              + " gets the latest drink: "
              + await(maps.get(killed).getLatest("drink")));
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
