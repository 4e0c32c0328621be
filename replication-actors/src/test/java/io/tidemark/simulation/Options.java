package io.tidemark.simulation;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What was asked for on the command line.
 *
 * @param first of the seeds, as an unsigned number
 * @param last of the seeds, as an unsigned number
 * @param faults the indices of the planned faults that happen; null for all of them
 */
record Options(
    Task task,
    long first,
    long last,
    Profile profile,
    Mutant mutant,
    Set<Integer> faults,
    boolean json) {

  enum Task {
    RUN,
    REPLAY,
    SHRINK
  }

  static final String USAGE =
      "usage: tidemark simulate [--seeds A-B | --replay SEED | --shrink SEED] [--profile NAME]"
          + " [--mutant NAME] [--faults none|I,J,…] [--json]";

  private static final BigInteger LARGEST = BigInteger.ONE.shiftLeft(63);

  /** Told to the user in one line. */
  static final class UsageException extends Exception {
    UsageException(String message) {
      super(message);
    }
  }

  static Options parse(List<String> args) throws UsageException {
    Options options = new Options(Task.RUN, 1, 100, Profile.HOSTILE, Mutant.NONE, null, false);
    boolean tasked = false;
    for (int i = 0; i < args.size(); i++) {
      String name = args.get(i);
      if (name.equals("--json")) {
        options = options.withJson();
        continue;
      }
      if (!Set.of("--seeds", "--replay", "--shrink", "--profile", "--mutant", "--faults")
          .contains(name)) {
        throw new UsageException("unknown option '" + name + "'; " + USAGE);
      }
      if (++i == args.size()) {
        throw new UsageException(name + " needs a value; " + USAGE);
      }
      boolean task = Set.of("--seeds", "--replay", "--shrink").contains(name);
      if (task && tasked) {
        throw new UsageException(name + ": only one of --seeds, --replay and --shrink");
      }
      tasked |= task;
      options = options.with(name, args.get(i));
    }
    if (options.faults != null && options.task != Task.REPLAY) {
      throw new UsageException("--faults goes with --replay only");
    }
    if (options.json && options.task != Task.RUN) {
      throw new UsageException("--json goes with --seeds only");
    }
    return options;
  }

  static String help() {
    return String.join(
        System.lineSeparator(),
        USAGE,
        "Runs clusters in virtual time; one seed decides everything.",
        "  --seeds A-B     each of these, up to the first violation (default: 1-100)",
        "  --replay SEED   every step of one seed; --faults 0,3 with some of its faults only",
        "  --shrink SEED   which of its faults a violation needs",
        "  --profile NAME  " + titles(Profile.values()) + " (default: hostile)",
        "  --mutant NAME   a mistake that is built in: " + titles(Mutant.values()),
        "  --json          ends with one line of JSON",
        GroupRuns.USAGE,
        "Ends with 0, with 1 on a violation, with 2 on wrong arguments.");
  }

  private Options with(String name, String value) throws UsageException {
    return switch (name) {
      case "--seeds" -> range(value);
      case "--replay" -> of(Task.REPLAY, seed(name, value), seed(name, value));
      case "--shrink" -> of(Task.SHRINK, seed(name, value), seed(name, value));
      case "--profile" ->
          new Options(
              task, first, last, named(name, value, Profile.values()), mutant, faults, json);
      case "--mutant" ->
          new Options(
              task, first, last, profile, named(name, value, Mutant.values()), faults, json);
      default -> new Options(task, first, last, profile, mutant, indices(value), json);
    };
  }

  private Options of(Task newTask, long from, long to) {
    return new Options(newTask, from, to, profile, mutant, faults, json);
  }

  private Options withJson() {
    return new Options(task, first, last, profile, mutant, faults, true);
  }

  private Options range(String value) throws UsageException {
    String[] ends = value.split("-", -1);
    if (ends.length != 2) {
      throw new UsageException("--seeds " + value + ": expected a range such as 1-2000");
    }
    long from = seed("--seeds", ends[0]);
    long to = seed("--seeds", ends[1]);
    if (Long.compareUnsigned(from, to) > 0) {
      throw new UsageException("--seeds " + value + ": the first is above the last");
    }
    return of(Task.RUN, from, to);
  }

  private static long seed(String name, String value) throws UsageException {
    if (value.matches("[0-9]{1,19}") && new BigInteger(value).compareTo(LARGEST) <= 0) {
      return new BigInteger(value).longValue();
    }
    throw new UsageException(
        "%s %s: a seed is a whole number from 0 to 2^63".formatted(name, value));
  }

  private static <E extends Enum<E>> E named(String name, String value, E[] all)
      throws UsageException {
    for (E one : all) {
      if (title(one).equals(value)) {
        return one;
      }
    }
    throw new UsageException("%s %s: unknown; one of %s".formatted(name, value, titles(all)));
  }

  private static <E extends Enum<E>> String titles(E[] all) {
    return Arrays.stream(all).map(Options::title).collect(Collectors.joining(", "));
  }

  private static Set<Integer> indices(String value) throws UsageException {
    Set<Integer> indices = new TreeSet<>();
    if (value.equals("none")) {
      return indices;
    }
    for (String index : value.split(",", -1)) {
      if (!index.matches("[0-9]{1,4}")) {
        throw new UsageException("--faults " + value + ": expected none, or such as 0,3,7");
      }
      indices.add(Integer.parseInt(index));
    }
    return indices;
  }

  /** As it is named on the command line. */
  static String title(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
