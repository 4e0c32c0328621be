package io.tidemark.benchmark.kafka;

import io.tidemark.benchmark.ContestantMain;

/** Measures Apache Kafka. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ContestantMain.run("kafka", KafkaPeer::start, args);
  }
}
