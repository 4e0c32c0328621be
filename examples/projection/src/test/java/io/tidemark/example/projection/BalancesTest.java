package io.tidemark.example.projection;

import static io.tidemark.example.projection.ProjectionExample.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.ConsumerRecord;
import io.tidemark.testkit.TidemarkTestKit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BalancesTest {
  @RegisterExtension
  private static final TidemarkTestKit TIDEMARK =
      TidemarkTestKit.threeNodes().withSettings(ProjectionExample.SETTINGS);

  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final CountDownLatch inTheMiddle = new CountDownLatch(300);
  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  /** Fails now and then, after it has written. */
  private final class FailingHandler extends TransferHandler {
    FailingHandler(int node) {
      super(node);
    }

    @Override
    public void process(Session session, ConsumerRecord<String, Transfer> record) throws Exception {
      super.process(session, record);
      threads.add(Thread.currentThread().getName().replaceAll("-\\d+$", ""));
      inTheMiddle.countDown();
      if (calls.incrementAndGet() % 100 == 0) {
        failures.incrementAndGet();
        throw new IllegalStateException("meant to fail");
      }
    }
  }

  @Test
  void each_transfer_is_counted_once_though_handlers_fail_and_a_node_with_projections_is_killed()
      throws Exception {
    JdbcConnectionPool database = ProjectionExample.database("test");
    TIDEMARK.createTopic(Balances.TRANSFERS, Balances.PARTITIONS);
    ProjectionExample transfers = new ProjectionExample(database, TIDEMARK.client());
    await(Balances.createTables(TIDEMARK.system(), database));
    for (int id = 1; id <= 3; id++) {
      Balances.start(TIDEMARK.node(id), database, FailingHandler::new);
    }

    await(transfers.write(0, 500));
    assertTrue(inTheMiddle.await(60, TimeUnit.SECONDS));
    int killed = ReadModel.nodes(database).values().iterator().next();
    int led = leaders().indexOf(killed);
    CompletionStage<?> meanwhile = transfers.write(500, 1_000);
    TIDEMARK.kill(killed);
    await(transfers.write(1_000, 1_500));
    await(meanwhile);

    assertEquals(1_500, ProjectionExample.transfers(transfers.awaitTruth()));
    assertNotEquals(killed, TIDEMARK.leader(Balances.TRANSFERS, led));
    assertFalse(ReadModel.nodes(database).containsValue(killed));
    assertTrue(failures.get() >= 10, failures + " failures");
    assertEquals(Set.of("tidemark-akka.projection.jdbc.blocking-jdbc-dispatcher"), threads);
  }

  private static List<Integer> leaders() {
    return IntStream.range(0, Balances.PARTITIONS)
        .mapToObj(partition -> TIDEMARK.leader(Balances.TRANSFERS, partition))
        .toList();
  }
}
