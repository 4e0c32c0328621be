package io.tidemark.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux tells of all processes together; elsewhere nothing is known. */
final class Machine {
  private static final double TICKS_PER_SECOND = 100;
  private static final int BUSY_AND_IDLE = 8;

  private Machine() {}

  /**
   * CPU time of all cores since the machine was started.
   *
   * @param all seconds; 0 when not known
   * @param busy those of them in which some process, or another machine on the same host, ran
   */
  record CpuTime(double all, double busy) {
    static final CpuTime UNKNOWN = new CpuTime(0, 0);

    /**
     * @param stat the content of /proc/stat
     */
    static CpuTime parse(String stat) {
      String[] words = stat.lines().findFirst().orElse("").trim().split(" +");
      if (words.length <= BUSY_AND_IDLE || !words[0].equals("cpu")) {
        return UNKNOWN;
      }
      double all = 0;
      for (int i = 1; i <= BUSY_AND_IDLE; i++) {
        all += Long.parseLong(words[i]) / TICKS_PER_SECOND;
      }
      double idle = (Long.parseLong(words[4]) + Long.parseLong(words[5])) / TICKS_PER_SECOND;
      return new CpuTime(all, all - idle);
    }

    /**
     * The share of the machine that other processes took since then, in percent; NaN when not
     * known.
     *
     * @param own CPU seconds of our own processes
     */
    double othersPercentSince(CpuTime before, double own) {
      double passed = all - before.all;
      return passed <= 0 ? Double.NaN : Math.max(0, 100 * (busy - before.busy - own) / passed);
    }
  }

  static CpuTime cpuTime() {
    return CpuTime.parse(read(Path.of("/proc/stat")));
  }

  /** Over the last minute; "unknown" when it is. */
  static String loadAverage() {
    String text = read(Path.of("/proc/loadavg"));
    return text.isEmpty() ? "unknown" : text.split(" ")[0];
  }

  /** What a process has had written to disks, in bytes; 0 when not known. */
  static long bytesWritten(long pid) {
    return read(Path.of("/proc/" + pid + "/io"))
        .lines()
        .filter(line -> line.startsWith("write_bytes: "))
        .mapToLong(line -> Long.parseLong(line.substring("write_bytes: ".length())))
        .findFirst()
        .orElse(0);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}
