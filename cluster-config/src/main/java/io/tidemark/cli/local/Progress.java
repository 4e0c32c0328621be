package io.tidemark.cli.local;

import java.io.PrintStream;

/** Shows how far something is: a bar on a terminal, a line now and then elsewhere. */
public final class Progress {
  private static final int WIDTH = 30;
  private static final long TERMINAL_NANOS = 100_000_000L;
  private static final long LINE_NANOS = 2_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private String shown = "";
  private long nextAt;
  private boolean open;

  public Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Standard error: what a program wants to read is on standard output. */
  public static Progress onStandardError() {
    return new Progress(System.err, System.console() != null && System.getenv("TERM") != null);
  }

  public synchronized void show(String what, long done, long all) {
    long now = System.nanoTime();
    if (what.equals(shown) && now - nextAt < 0) {
      return;
    }
    boolean news = !what.equals(shown);
    shown = what;
    nextAt = now + (terminal ? TERMINAL_NANOS : LINE_NANOS);
    if (terminal) {
      int filled = all == 0 ? WIDTH : (int) (WIDTH * done / all);
      String bar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
      out.print((news && open ? "\n" : "") + "\r" + bar + " " + what + " " + done + "/" + all);
      out.flush();
      open = true;
    } else {
      out.println(what + ": " + done + " of " + all);
    }
  }

  public synchronized void say(String message) {
    end();
    out.println(message);
  }

  public synchronized void end() {
    if (open) {
      out.println();
      open = false;
    }
    shown = "";
  }
}
