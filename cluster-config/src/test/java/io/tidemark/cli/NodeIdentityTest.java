package io.tidemark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.cli.local.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeIdentityTest {
  /** 128 and the number of the signal, as for any process. */
  private static final int INTERRUPTED = 130;

  @TempDir private Path dir;

  @Test
  void a_directory_becomes_its_clusters_and_is_refused_by_another_one() throws Exception {
    int port = FreePorts.find(1).get(0);
    Path meta = dir.resolve("data/meta.properties");
    List<String> node =
        List.of(
            "node --id 1 --dir %s --port %d --seed 127.0.0.1:%2$d"
                .formatted(dir.resolve("data"), port)
                .split(" "));
    CommandLineProcess first = new CommandLineProcess(dir, node);
    first.awaitFile(meta, "cluster.id=");
    first.interrupt();
    assertEquals(INTERRUPTED, first.awaitExit(), first::error);
    String other = "cluster.id=" + UUID.randomUUID();
    String changed = Files.readString(meta).replaceAll("cluster.id=.*", other);
    Files.writeString(meta, changed.replaceAll("checksum=.*\n", ""));

    CommandLineProcess second = new CommandLineProcess(dir, node);

    assertEquals(1, second.awaitExit(), second::error);
    String last = second.error().lines().reduce("", (before, line) -> line);
    assertTrue(last.startsWith("tidemark node: the directory of broker 1 holds"), second::error);
    assertTrue(last.contains(other.substring("cluster.id=".length())), second::error);
  }
}
