package io.tidemark.cli.local;

import java.io.PrintStream;
import java.util.function.LongSupplier;

/** Shows how far something is: a bar on a terminal, elsewhere a line now and then. */
public final class Progress {
  private static final int WIDTH = 30;
  private static final long TERMINAL_NANOS = 100_000_000L;
  private static final long LINE_NANOS = 2_000_000_000L;

  /** Where nothing happens, a line says less often that the program is alive. */
  private static final long UNCHANGED_NANOS = 20_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private final LongSupplier nanoTime;
  private String shown = "";
  private long shownDone;
  private long shownAt;
  private boolean open;

  public Progress(PrintStream out, boolean terminal) {
    this(out, terminal, System::nanoTime);
  }

  Progress(PrintStream out, boolean terminal, LongSupplier nanoTime) {
    this.out = out;
    this.terminal = terminal;
    this.nanoTime = nanoTime;
  }

  /** Standard error: what a program wants to read is on standard output. */
  public static Progress onStandardError() {
    return new Progress(System.err, System.console() != null && System.getenv("TERM") != null);
  }

  public synchronized void show(String what, long done, long all) {
    long now = nanoTime.getAsLong();
    boolean news = !what.equals(shown);
    if (!news && now - shownAt < pauseBefore(done)) {
      return;
    }
    shown = what;
    shownDone = done;
    shownAt = now;
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

  private long pauseBefore(long done) {
    if (terminal) {
      return TERMINAL_NANOS;
    }
    return done == shownDone ? UNCHANGED_NANOS : LINE_NANOS;
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
