package io.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.cli.local.FreePorts;
import io.tidemark.journal.StorageDirectory;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {
  @TempDir private Path dir;

  private record Said(int exitCode, String output, String error) {}

  /** In this process: a JVM for each line would take half a minute together. */
  private static Said execute(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream error = new ByteArrayOutputStream();
    System.setOut(new PrintStream(output, true, UTF_8));
    System.setErr(new PrintStream(error, true, UTF_8));
    try {
      int exitCode = Main.execute(arguments);
      return new Said(exitCode, output.toString(UTF_8), error.toString(UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "\"\" | a command is missing",
        "nonsense | nonsense",
        "demo --unknown | --unknown",
        "demo no-such-file | no-such-file: no such file",
        "demo . | .: not a readable file",
        "demo --acks most FILE | --acks most; allowed: none, leader, all, 0, 1",
        "demo --nodes 2 | --nodes 2; allowed: 3 to 9",
        "demo --nodes many | --nodes",
        "demo --partitions 0 | --partitions 0; allowed: 1 to 200",
        "demo --no-fault --kill-all | exclude each other",
        "demo --dir FILE | is not an empty directory",
        "demo | the project's own sources were not found; name a FILE",
        "bench | what to measure is missing: throughput, latency",
        "bench fast | fast",
        "bench throughput --size 0 | --size 0; allowed: 1 to 1000000",
        "bench throughput --acks most | --acks most; allowed: none, leader, all, 0, 1",
        "bench throughput --partitions many | --partitions",
        "bench throughput --batch 100 | --batch 100; allowed: 1024 to 1048576",
        "bench latency --rate 0 | --rate 0; allowed: 1 to 10000000",
        "bench latency --flush never | --flush never; allowed: each-commit, os",
        "bench latency --runs 0 | --runs 0; allowed: 1 to 100",
        "bench failover --kill follower | --kill follower; allowed: leader, controller, both",
        "bench catchup --gib 0 | --gib 0.0; allowed: 0.01 to 1000",
        "bench endtoend --rate -1 | --rate -1; allowed: 0 to 10000000",
        "bench idle --partitions 0 | --partitions 0; allowed: 1 to 5000",
        "bench latency --directory FILE | FILE: not a directory that can be written to",
        "log | list, dump or verify is missing",
        "log list | Missing required parameter: 'DIR'",
        "log verify no-such-directory | no-such-directory: no such directory",
        "log verify FILE | FILE: not a directory",
        "log dump / | /: not a storage directory, it has no meta.properties",
        "log dump / --from 3 --to 2 | --from 3 is above --to 2",
        "log dump / --from-offset 3 --to-offset 2 | --from-offset 3 is above --to-offset 2",
        "node | Missing required",
        "node --id 1 --dir d --port 0 --seed h:1 | --port 0; allowed: 1 to 65535",
        "node --id 1 --dir d --port 70000 --seed h:1 | --port 70000; allowed: 1 to 65535",
        "node --id -1 --dir d --port 1 --seed h:1 | tidemark.broker.id is -1; allowed: 0 to",
        "node --id 1 --dir d --port 1 --seed host | --seed host; allowed: host:port",
        "node --id 1 --dir d --port 1 --seed h:1 --host 0.0.0.0 | give --insecure to allow it",
        "node --id 1 --dir d --port 1 --seed h:1 --config none | --config none: no such file",
        "node --id 1 --dir d --port 1 --seed h:1 --config FILE | FILE",
      })
  void what_is_wrong_is_told_in_one_line(String arguments, String told) throws Exception {
    Path file = Files.writeString(dir.resolve("FILE"), "{ is no configuration");
    String[] words = arguments.replace("FILE", file.toString()).trim().split(" +");

    Said said = execute(arguments.isEmpty() ? new String[0] : words);

    assertEquals(2, said.exitCode(), said::error);
    assertEquals("", said.output());
    assertEquals(1, said.error().lines().count(), said::error);
    assertTrue(said.error().startsWith("tidemark"), said::error);
    assertTrue(said.error().contains(told), said::error);
    assertTrue(said.error().endsWith(" --help\n"), said::error);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "demo --help",
        "node --help",
        "--version",
        "demo --version",
        "log dump --help",
        "bench --help",
        "bench throughput --help"
      })
  void help_and_version_are_no_failure(String arguments) throws Exception {
    Said said = execute(arguments.split(" "));

    assertEquals(0, said.exitCode(), said::error);
    assertEquals("", said.error());
    assertTrue(said.output().toLowerCase().contains("tidemark"), said::output);
  }

  @Test
  void a_damaged_directory_ends_with_one_and_an_unknown_id_with_two() throws Exception {
    Path data = dir.resolve("data");
    StorageDirectory.open(data, OptionalInt.of(1)).markCleanAndClose();
    Path folder = Files.createDirectories(data.resolve("journal/a"));
    List<String> verify = List.of("log", "verify", data.toString());
    CommandLineProcess sound = new CommandLineProcess(dir, verify);
    assertEquals(0, sound.awaitExit(), sound::error);
    assertTrue(sound.output().endsWith(": ok\n"), sound::output);

    Files.write(folder.resolve("0000000000000000001.seg"), new byte[100]);
    CommandLineProcess damaged = new CommandLineProcess(dir, verify);
    assertEquals(1, damaged.awaitExit(), damaged::error);
    assertTrue(damaged.output().contains("an unreadable header"), damaged::output);

    CommandLineProcess unknown =
        new CommandLineProcess(dir, List.of("log", "list", data.toString(), "--id", "b"));
    assertEquals(2, unknown.awaitExit(), unknown::error);
    assertTrue(unknown.error().contains("--id b: no such persistence id"), unknown::error);
  }

  @Test
  void a_port_in_use_is_told_in_one_line() throws Exception {
    try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = String.valueOf(used.getLocalPort());

      CommandLineProcess command =
          new CommandLineProcess(
              dir,
              List.of("node", "--id", "1", "--dir", dir + "/d", "--port", port, "--seed", "h:1"));

      assertEquals(1, command.awaitExit(), command::error);
      assertEquals(1, command.error().lines().count(), command::error);
      assertTrue(command.error().contains("127.0.0.1:" + port), command::error);
    }
  }

  @Test
  void a_directory_in_use_is_told_in_one_line() throws Exception {
    Path data = dir.resolve("data");
    try (StorageDirectory used = StorageDirectory.open(data, OptionalInt.of(1))) {
      String port = String.valueOf(FreePorts.find(1).get(0));

      CommandLineProcess command =
          new CommandLineProcess(
              dir,
              List.of(
                  "node", "--id", "1", "--dir", data.toString(), "--port", port, "--seed", "h:1"));

      assertEquals(1, command.awaitExit(), command::error);
      assertEquals(1, command.error().lines().count(), command::error);
      assertTrue(command.error().contains(used.path().toString()), command::error);
    }
  }
}
