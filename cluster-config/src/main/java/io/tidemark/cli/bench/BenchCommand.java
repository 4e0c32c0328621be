package io.tidemark.cli.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code bin/tidemark bench}: measures a cluster of real nodes on this machine. */
@Command(
    name = "bench",
    description = {
      "Measures a cluster of three nodes, each a process of its own on the loopback address with its"
          + " data on a real disk. This process is the client.",
      "It tells the load of the machine before, and what share of its CPU other processes took"
          + " meanwhile: with more than a few percent the figures say little. Everything that it"
          + " wrote is removed at the end, also by Ctrl-C.",
      "Exit code 0 only when no acknowledged record was lost, written twice or failed; 2 for wrong"
          + " arguments."
    },
    footer = {
      "",
      "bin/tidemark bench throughput --size 1024 --partitions 8 --runs 3 --json",
      "bin/tidemark bench latency --rate 1000"
    },
    subcommands = {
      ThroughputCommand.class,
      LatencyCommand.class,
      EndToEndCommand.class,
      FailoverCommand.class,
      CatchUpCommand.class,
      IdleCommand.class
    })
public final class BenchCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this.")
  private boolean help;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "what to measure is missing: " + String.join(", ", subcommands()));
  }

  private Iterable<String> subcommands() {
    return spec.subcommands().keySet();
  }
}
