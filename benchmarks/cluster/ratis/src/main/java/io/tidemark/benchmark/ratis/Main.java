package io.tidemark.benchmark.ratis;

import io.tidemark.benchmark.ContestantMain;

/** Measures Apache Ratis. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ContestantMain.run("ratis", RatisPeer::start, args);
  }
}
