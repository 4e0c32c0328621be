package io.tidemark.cli.bench;

import io.tidemark.cli.bench.NodeCounters.Counts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What the processes have used up to a moment.
 *
 * @param client CPU seconds of this process
 * @param nodes those of the nodes, in the order of their ids
 */
record Usage(double client, List<Node> nodes, Machine.CpuTime machine) {

  /**
   * @param cpu seconds
   * @param bytesWritten to disks, as the kernel counts
   */
  record Node(double cpu, long bytesWritten, Counts counts) {}

  static Usage of(BenchCluster cluster) throws Exception {
    List<Node> nodes = new ArrayList<>();
    for (int id : BenchCluster.IDS) {
      ProcessHandle process = cluster.nodes().process(id).toHandle();
      nodes.add(
          new Node(
              cpuOf(process), Machine.bytesWritten(process.pid()), cluster.countsOf(id, false)));
    }
    return new Usage(cpuOf(ProcessHandle.current()), nodes, Machine.cpuTime());
  }

  static double cpuOf(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
  }

  Used since(Usage before) {
    List<Node> differences = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      Node now = nodes.get(i);
      Node then = before.nodes.get(i);
      differences.add(
          new Node(
              now.cpu - then.cpu,
              now.bytesWritten - then.bytesWritten,
              now.counts.since(then.counts)));
    }
    double own = client - before.client + differences.stream().mapToDouble(Node::cpu).sum();
    double others = machine.othersPercentSince(before.machine, own);
    return new Used(client - before.client, differences, others);
  }
}
