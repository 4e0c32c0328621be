package io.tidemark.cluster;

import static io.tidemark.cluster.NumberedRecords.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.client.VoterFailure;
import io.tidemark.protocol.ErrorCode;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Voters of the controller quorum come and go while the cluster is in use (KIP-853). */
class VoterClusterTest {
  @TempDir private Path dir;

  @Test
  void the_controller_votes_no_more_and_then_again_while_records_are_written() {
    try (LocalCluster cluster = new LocalCluster(dir)) {
      NumberedRecords records = cluster.createTopic("orders", 3);
      int controller = await(cluster.client().describeTopic(null)).controllerId();

      await(cluster.client().removeVoter(controller));
      cluster.awaitTopic(null, it -> it.controllerId() >= 0 && it.controllerId() != controller);
      await(records.write(300));
      CompletionException failure =
          assertThrows(
              CompletionException.class, () -> await(cluster.client().removeVoter(controller)));
      VoterFailure refused = assertInstanceOf(VoterFailure.class, failure.getCause());
      assertEquals(ErrorCode.VOTER_NOT_FOUND, refused.error());

      await(cluster.client().addVoter(controller));
      cluster.createTopic("payments", 1);
      records.assertAllThere();
    }
  }
}
