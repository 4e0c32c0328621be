package io.tidemark.benchmark.jraft;

import io.tidemark.benchmark.ContestantMain;

/** Measures SOFAJRaft. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ContestantMain.run("jraft", JRaftPeer::start, args);
  }
}
