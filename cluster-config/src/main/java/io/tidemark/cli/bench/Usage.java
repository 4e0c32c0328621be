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

  private static final double MIB = 1 << 20;

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

  Usage since(Usage before) {
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
    return new Usage(client - before.client, differences, new Machine.CpuTime(100, others));
  }

  /**
   * Of a difference.
   *
   * @param records acknowledged meanwhile
   */
  void addTo(Figures figures, long records) {
    double cpu = client + nodes.stream().mapToDouble(Node::cpu).sum();
    Counts counts = nodes.stream().map(Node::counts).reduce(Counts.NONE, Counts::plus);
    long written = nodes.stream().mapToLong(Node::bytesWritten).sum();
    figures.add("clientCpuSeconds", "CPU seconds, client", client, 2);
    for (int i = 0; i < nodes.size(); i++) {
      String name = "node" + BenchCluster.IDS.get(i);
      figures.add(name + "CpuSeconds", "CPU seconds, node " + (i + 1), nodes.get(i).cpu, 2);
    }
    figures
        .add("cpuMicrosPerRecord", "CPU µs a record, all together", per(cpu * 1e6, records), 2)
        .add("gcMillis", "ms in collections, all nodes", counts.collectMillis(), 0)
        .add(
            "bytesPerRecord",
            "bytes a record in each node's log",
            per(counts.bytes(), records * BenchCluster.NODES),
            1)
        .add(
            "diskBytesPerRecord",
            "bytes a record written, each node",
            per(written, records * BenchCluster.NODES),
            1)
        .add("commits", "group commits, all nodes", counts.commits(), 0)
        .add("fsyncs", "  that waited for the disk (fsync)", counts.forces(), 0)
        .add("fsyncMillis", "  ms each", per(counts.forceNanos() / 1e6, counts.forces()), 3)
        .add("othersCpuPercent", "CPU share of other processes, %", machine.busy(), 1);
  }

  private static double per(double amount, long count) {
    return count == 0 ? 0 : amount / count;
  }
}
