package io.tidemark.cli;

import io.tidemark.cli.local.AcksOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * Replicates real input over real nodes, takes one of them down, and checks that nothing is lost.
 */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    version = Main.VERSION,
    description = {
      "Starts nodes as processes on this machine, writes every line of the files as a record, kills"
          + " the node that leads most partitions with SIGKILL when half is acknowledged, restarts"
          + " it, reads everything back and compares.",
      "Exit code 0 only when every acknowledged record was read exactly once and in order, and all"
          + " replicas are the same."
    })
final class DemoCommand implements Callable<Integer> {

  /** How much is lost in the middle. */
  enum Fault {
    NONE,
    /** The node that leads most partitions. */
    BUSIEST,
    /** The node with the controller and the shard coordinator. */
    CONTROLLER,
    /** All nodes at once. */
    ALL
  }

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      description = "Files whose lines are the records (default: the project's own sources).")
  private List<Path> files = new ArrayList<>();

  @Option(names = "--nodes", description = "How many nodes, 3 to 9 (default: ${DEFAULT-VALUE}).")
  private int nodes = 3;

  @Option(
      names = "--partitions",
      description = "How many partitions, 1 to 200 (default: ${DEFAULT-VALUE}).")
  private int partitions = 6;

  @Option(
      names = "--acks",
      description = "none, leader or all; or 0, 1, all (default: ${DEFAULT-VALUE}).")
  private String acks = "all";

  @Option(names = "--no-fault", description = "Kills nothing.")
  private boolean noFault;

  @Option(
      names = "--kill-controller",
      description = "Kills the node with the controller and the shard coordinator instead.")
  private boolean killController;

  @Option(names = "--kill-all", description = "Kills all nodes at once instead.")
  private boolean killAll;

  @Option(
      names = "--dir",
      description =
          "Where the nodes keep everything, empty or new; kept (default: a temporary one).")
  private Path dir;

  @Option(names = "--json", description = "Ends with one line of JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    check(nodes >= 3 && nodes <= 9, "--nodes " + nodes + "; allowed: 3 to 9");
    check(
        partitions >= 1 && partitions <= 200, "--partitions " + partitions + "; allowed: 1 to 200");
    int faults = (noFault ? 1 : 0) + (killController ? 1 : 0) + (killAll ? 1 : 0);
    check(faults <= 1, "--no-fault, --kill-controller and --kill-all exclude each other");
    for (Path file : files) {
      check(Files.exists(file), file + ": no such file");
      check(Files.isRegularFile(file) && Files.isReadable(file), file + ": not a readable file");
    }
    if (dir != null) {
      check(DemoFiles.isEmptyOrNew(dir), "--dir " + dir + ": exists and is not an empty directory");
    }
    List<Path> input = files.isEmpty() ? DemoFiles.ownSources() : files;
    check(!input.isEmpty(), "the project's own sources were not found; name a FILE");
    Demo demo =
        new Demo(
            new Demo.Plan(input, nodes, partitions, AcksOption.parse(acks, this::wrong), fault()),
            dir);
    DemoResult result = demo.run();
    result.print(System.out);
    if (json) {
      System.out.println(result.json());
    }
    return result.ok() ? 0 : 1;
  }

  private Fault fault() {
    if (noFault) {
      return Fault.NONE;
    }
    if (killController) {
      return Fault.CONTROLLER;
    }
    return killAll ? Fault.ALL : Fault.BUSIEST;
  }

  private void check(boolean holds, String message) {
    if (!holds) {
      throw wrong(message);
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
