package io.tidemark.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.journal.StorageDirectory.Start;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorageDirectoryTest {
  private static final OptionalInt NONE = OptionalInt.empty();

  @TempDir Path parent;

  private Path path() {
    return parent.resolve("data");
  }

  private static String refusal(Path path, OptionalInt broker) {
    return assertThrows(StorageException.class, () -> StorageDirectory.open(path, broker))
        .getMessage();
  }

  @Test
  void a_new_directory_is_private_and_gets_an_identity_that_stays() throws IOException {
    UUID id;
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE)) {
      id = directory.directoryId();
      assertEquals(Start.NEW, directory.start());
      assertTrue(directory.cleanStart());
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
      for (String file : new String[] {"meta.properties", "lock"}) {
        assertEquals(
            "rw-------",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(path().resolve(file))));
      }
    }
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE)) {
      assertEquals(id, directory.directoryId());
    }
  }

  @Test
  void a_directory_in_use_in_this_process_is_refused_and_stays_locked() throws Exception {
    StorageDirectory directory = StorageDirectory.open(path(), NONE);

    String message = refusal(path(), NONE);

    assertTrue(message.contains(path().toString()) && message.contains("in use"), message);
    assertEquals(7, lockFromAnotherProcess());
    directory.close();
    assertEquals(0, lockFromAnotherProcess());
    StorageDirectory.open(path(), NONE).close();
  }

  private int lockFromAnotherProcess() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OpenDirectory.class.getName(),
                path().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return process.exitValue();
  }

  /** Exits with 7 when the directory is in use. */
  static final class OpenDirectory {
    private OpenDirectory() {}

    public static void main(String[] args) throws IOException {
      try (StorageDirectory directory = StorageDirectory.open(Path.of(args[0]), NONE)) {
        System.out.println(directory.directoryId());
      } catch (StorageException e) {
        System.exit(e.getMessage().contains("in use") ? 7 : 8);
      }
    }
  }

  @Test
  void the_first_broker_owns_the_directory() throws IOException {
    StorageDirectory.open(path(), NONE).close();
    StorageDirectory.open(path(), OptionalInt.of(3)).close();
    StorageDirectory.open(path(), NONE).close();

    String message = refusal(path(), OptionalInt.of(4));

    assertTrue(message.contains("belongs to broker 3"), message);
    StorageDirectory.open(path(), OptionalInt.of(3)).close();
  }

  @Test
  void the_first_cluster_owns_the_directory_and_another_one_is_refused() throws IOException {
    UUID own = UUID.randomUUID();
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE)) {
      assertEquals(Optional.empty(), directory.identity().clusterId());
      directory.recordCluster(own);
      directory.recordCluster(own);
    }
    StorageDirectory.open(path(), OptionalInt.of(3)).close();
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE)) {
      UUID id = directory.directoryId();
      assertEquals(
          new DirectoryIdentity(1, id, OptionalInt.of(3), Optional.of(own)), directory.identity());
      UUID other = UUID.randomUUID();

      StorageException refused =
          assertThrows(StorageException.class, () -> directory.recordCluster(other));

      assertTrue(refused.getMessage().contains("belongs to cluster " + own), refused::getMessage);
      assertTrue(refused.getMessage().contains(other.toString()), refused::getMessage);
      assertEquals(own, directory.identity().clusterId().orElseThrow());
    }
  }

  @Test
  void a_newer_format_is_refused() throws IOException {
    StorageDirectory.open(path(), NONE).close();
    Path meta = path().resolve("meta.properties");
    Files.writeString(meta, Files.readString(meta).replace("format.version=1", "format.version=2"));

    String message = refusal(path(), NONE);

    assertTrue(message.contains("format version 2"), message);
  }

  @Test
  void an_unreadable_identity_is_refused_and_kept() throws IOException {
    StorageDirectory.open(path(), NONE).close();
    Path meta = path().resolve("meta.properties");
    Files.writeString(meta, "format.version=1\n");

    assertTrue(refusal(path(), NONE).contains("directory.id"));
    assertEquals("format.version=1\n", Files.readString(meta));
  }

  @Test
  void the_end_of_the_last_use_is_told() throws IOException {
    StorageDirectory.open(path(), NONE, "boot-1").markCleanAndClose();
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE, "boot-2")) {
      assertEquals(Start.CLEAN_SHUTDOWN, directory.start());
      assertTrue(directory.cleanStart());
    }
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE, "boot-2")) {
      assertEquals(Start.SAME_BOOT, directory.start());
      assertTrue(directory.cleanStart());
    }
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE, "boot-3")) {
      assertEquals(Start.UNCLEAN, directory.start());
      assertFalse(directory.cleanStart());
    }
  }

  @Test
  void without_a_boot_id_only_a_marker_is_trusted() throws IOException {
    StorageDirectory.open(path(), NONE, "").close();
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE, "")) {
      assertEquals(Start.UNCLEAN, directory.start());
    }
  }

  @Test
  void an_unclean_start_is_told_until_it_is_accepted() throws IOException {
    StorageDirectory.open(path(), NONE, "boot-1").close();
    StorageDirectory.open(path(), NONE, "boot-2").close();
    StorageDirectory.open(path(), NONE, "boot-2").markCleanAndClose();
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE, "boot-2")) {
      assertEquals(Start.UNCLEAN, directory.start());
      directory.acceptStart();
    }
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE, "boot-2")) {
      assertEquals(Start.SAME_BOOT, directory.start());
    }
  }

  @Test
  void a_used_directory_whose_lock_file_is_gone_is_not_taken_for_a_new_one() throws IOException {
    StorageDirectory.open(path(), NONE).close();
    Files.createDirectory(path().resolve("journal"));
    Files.delete(path().resolve("lock"));
    try (StorageDirectory directory = StorageDirectory.open(path(), NONE)) {
      assertEquals(Start.UNCLEAN, directory.start());
    }
  }
}
