package io.tidemark.cli.bench;

import io.tidemark.cli.bench.NodeCounters.Counts;
import java.util.List;

/**
 * What the processes have used between two moments.
 *
 * @param client CPU seconds of this process
 * @param nodes those of the nodes, in the order of their ids
 * @param othersPercent the share of the machine that other processes took; NaN when not known
 */
record Used(double client, List<Usage.Node> nodes, double othersPercent) {

  /**
   * @param records acknowledged meanwhile
   */
  void addTo(Figures figures, long records) {
    double cpu = client + nodes.stream().mapToDouble(Usage.Node::cpu).sum();
    Counts counts = nodes.stream().map(Usage.Node::counts).reduce(Counts.NONE, Counts::plus);
    long written = nodes.stream().mapToLong(Usage.Node::bytesWritten).sum();
    figures.add("clientCpuSeconds", "CPU seconds, client", client, 2);
    for (int i = 0; i < nodes.size(); i++) {
      String name = "node" + BenchCluster.IDS.get(i);
      figures.add(name + "CpuSeconds", "CPU seconds, node " + (i + 1), nodes.get(i).cpu(), 2);
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
        .add("othersCpuPercent", "CPU share of other processes, %", othersPercent, 1);
  }

  private static double per(double amount, long count) {
    return count == 0 ? 0 : amount / count;
  }
}
