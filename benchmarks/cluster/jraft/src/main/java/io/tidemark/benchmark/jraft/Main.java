package io.tidemark.benchmark.jraft;

import io.tidemark.benchmark.ContestantMain;

/** Measures SOFAJRaft. */
public final class Main {
  private static final int REQUESTS_BYTES = 64 << 20;

  private Main() {}

  /** A connection refuses what is beyond 64 KiB otherwise: no more than a request of records. */
  static void takeWholeRequests() {
    System.setProperty("bolt.netty.buffer.high.watermark", String.valueOf(REQUESTS_BYTES));
    System.setProperty("bolt.netty.buffer.low.watermark", String.valueOf(REQUESTS_BYTES / 2));
  }

  public static void main(String[] args) {
    takeWholeRequests();
    ContestantMain.run("jraft", JRaftPeer::start, args);
  }
}
