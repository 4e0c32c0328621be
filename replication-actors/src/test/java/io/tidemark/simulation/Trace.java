package io.tidemark.simulation;

import io.tidemark.simulation.Scheduler.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What happened last, and the hash of all that ever happened. */
final class Trace {
  private static final int KEPT = 40;
  private static final int MAX_LINE = 400;

  private final Event[] events = new Event[KEPT];
  private final Consumer<String> live;
  private long steps;
  private long hash;

  /**
   * @param live sees each event as it comes; null for nobody
   */
  Trace(Consumer<String> live) {
    this.live = live;
  }

  void add(Event event) {
    events[(int) (steps % KEPT)] = event;
    steps++;
    mix(event.at());
    mix(event.order() << 16 | (long) event.kind().ordinal() << 8 | event.node());
    if (live != null) {
      live.accept(line(steps, event));
    }
  }

  /** Anything that follows from an event, so that two runs that differ in it differ in the hash. */
  void mix(long value) {
    hash = Chance.mix(hash * 31 + value);
  }

  void note(String line) {
    if (live != null) {
      live.accept("          " + line);
    }
  }

  boolean isLive() {
    return live != null;
  }

  long steps() {
    return steps;
  }

  long hash() {
    return hash;
  }

  List<String> last() {
    List<String> lines = new ArrayList<>();
    for (long step = Math.max(0, steps - KEPT); step < steps; step++) {
      lines.add(line(step + 1, events[(int) (step % KEPT)]));
    }
    return lines;
  }

  private static String line(long step, Event event) {
    String text =
        "%6d %12.3f ms %-8s %s %s"
            .formatted(
                step,
                event.at() / 1e6,
                event.kind(),
                event.node() == 0 ? "      " : "node " + event.node(),
                event.what());
    return text.length() <= MAX_LINE ? text : text.substring(0, MAX_LINE) + "…";
  }
}
