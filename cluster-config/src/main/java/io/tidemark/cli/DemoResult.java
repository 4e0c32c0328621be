package io.tidemark.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.protocol.PartitionState;
import java.io.PrintStream;
import java.util.List;

/**
 * What the demo found.
 *
 * @param before the partitions before the fault
 * @param after the partitions at the end
 * @param stall where the longest stall was
 * @param failure the first record that was not acknowledged, null when none
 */
record DemoResult(
    Figures figures,
    List<PartitionState> before,
    List<PartitionState> after,
    long truncated,
    long strange,
    String stall,
    String failure) {

  /**
   * The last line with --json.
   *
   * @param killedBroker −1 for none, 0 for all
   * @param failoverMs the longest time in which a partition had records waiting and acknowledged
   *     none
   */
  @JsonPropertyOrder({
    "nodes",
    "partitions",
    "records",
    "acked",
    "read",
    "lost",
    "duplicated",
    "reordered",
    "rejected",
    "killedBroker",
    "failoverMs",
    "isrRestored",
    "replicasIdentical",
    "recordsPerSecond",
    "ok"
  })
  record Figures(
      int nodes,
      int partitions,
      long records,
      long acked,
      long read,
      long lost,
      long duplicated,
      long reordered,
      long rejected,
      int killedBroker,
      long failoverMs,
      boolean isrRestored,
      boolean replicasIdentical,
      long recordsPerSecond,
      boolean ok) {}

  @JsonProperty
  boolean ok() {
    return figures.ok();
  }

  String json() {
    try {
      return new ObjectMapper().writeValueAsString(figures);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("figures have no JSON form", e);
    }
  }

  void print(PrintStream out) {
    Figures f = figures;
    out.println();
    out.printf("%-10s %-22s %-22s %s%n", "partition", "leader@epoch before", "after", "in sync");
    for (int i = 0; i < after.size(); i++) {
      out.printf(
          "%-10d %-22s %-22s %s%n",
          i, leader(before.get(i)), leader(after.get(i)), after.get(i).isr());
    }
    out.println();
    out.printf(
        "records     %,d sent, %,d acknowledged, %,d rejected, %,d/s%n",
        f.records(), f.acked(), f.rejected(), f.recordsPerSecond());
    out.printf(
        "read back   %,d; lost %,d, duplicated %,d, reordered %,d, never sent %,d%n",
        f.read(), f.lost(), f.duplicated(), f.reordered(), strange);
    String killed = f.killedBroker() < 0 ? "none" : String.valueOf(f.killedBroker());
    out.printf(
        "killed      %s; longest stall %,d ms (%s); %,d records truncated to follow new leaders%n",
        f.killedBroker() == 0 ? "all" : killed, f.failoverMs(), stall, truncated);
    out.printf(
        "replicas    %s, in-sync replicas %s%n",
        f.replicasIdentical() ? "identical" : "DIFFERENT",
        f.isrRestored() ? "complete" : "NOT COMPLETE");
    if (failure != null) {
      out.println("failed      " + failure);
    }
    out.println(f.ok() ? "ok" : "NOT OK");
  }

  private static String leader(PartitionState state) {
    return (state.leader() < 0 ? "none" : state.leader()) + "@" + state.leaderEpoch();
  }
}
