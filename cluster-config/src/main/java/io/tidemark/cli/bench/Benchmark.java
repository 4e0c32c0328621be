package io.tidemark.cli.bench;

/** One run against a new cluster. */
interface Benchmark {
  Figures run(BenchCluster cluster) throws Exception;
}
