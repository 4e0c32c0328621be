package io.tidemark.benchmark;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** One run of a contestant: starts its nodes, measures, and prints the result as a line of JSON. */
@Command(mixinStandardHelpOptions = true)
public final class ContestantMain implements Callable<Integer> {
  @Mixin private Plan plan;

  private final String contestant;
  private final Peer.Starter starter;

  private ContestantMain(String contestant, Peer.Starter starter) {
    this.contestant = contestant;
    this.starter = starter;
  }

  /** Does not return. */
  public static void run(String contestant, Peer.Starter starter, String[] args) {
    CommandLine command = new CommandLine(new ContestantMain(contestant, starter));
    System.exit(
        command.setCommandName(contestant).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    plan.check();
    try (Nodes nodes = new Nodes(plan.directory)) {
      try (Peer peer = starter.start(plan, nodes)) {
        System.out.println(Load.run(contestant, plan, peer, nodes).toJson());
      } catch (Exception e) {
        nodes.showLogs(System.err);
        throw e;
      }
    }
    return 0;
  }
}
