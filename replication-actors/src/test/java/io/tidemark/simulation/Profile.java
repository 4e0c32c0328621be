package io.tidemark.simulation;

/** How hostile the world is. */
enum Profile {
  CALM(2_000, 0, 0, 0, 0, 0, false, false),
  LOSSY(2_000, 12, 0.02, 0.03, 0.01, 0, false, false),
  CRASHY(2_000, 16, 0, 0, 0.002, 8, false, false),
  HOSTILE(2_000, 20, 0.01, 0.02, 0.01, 5, true, true);

  final int steps;
  final int faults;
  final double drop;
  final double duplicate;
  final double late;
  final int disks;
  final boolean clocks;
  final boolean odd;

  /**
   * @param steps so many happen before the world is healed
   * @param faults how many faults are planned for them at most
   * @param drop how likely a message is lost
   * @param duplicate how likely it arrives twice
   * @param late how likely it takes up to seconds
   * @param disks how many of ten faults hit a process or its disk
   * @param clocks whether clocks jump and drift
   * @param odd whether rare things happen too: wiped and full disks, misdirected and damaged
   *     messages, unclean elections, clients that break rules
   */
  Profile(
      int steps,
      int faults,
      double drop,
      double duplicate,
      double late,
      int disks,
      boolean clocks,
      boolean odd) {
    this.steps = steps;
    this.faults = faults;
    this.drop = drop;
    this.duplicate = duplicate;
    this.late = late;
    this.disks = disks;
    this.clocks = clocks;
    this.odd = odd;
  }
}
