package io.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tidemark.cli.local.Progress;
import io.tidemark.inspect.StorageInspection;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Looks into storage directories. */
@Command(
    name = "log",
    mixinStandardHelpOptions = true,
    version = Main.VERSION,
    description = {
      "Looks into storage directories, also copies and ones in use. Nothing in them is changed.",
      "Exit code 1 when something is damaged, 2 when the command line is wrong."
    },
    subcommands = {
      LogCommand.ListLogs.class,
      LogCommand.DumpLogs.class,
      LogCommand.VerifyLogs.class
    })
final class LogCommand implements Runnable {
  @CommandLine.Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "list, dump or verify is missing");
  }

  /** Which logs, and how they are told. */
  static final class Selection {
    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
        paramLabel = "DIR",
        arity = "1..*",
        description = "Storage directories of nodes (tidemark.storage.directory).")
    private List<Path> directories = new ArrayList<>();

    @Option(
        names = "--id",
        paramLabel = "ID",
        description = "Only this persistence id; repeatable.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--json", description = "Tells everything as lines of JSON.")
    private boolean json;

    private int run(LogRun.Task task, LogRun.Range range) throws Exception {
      for (Path directory : directories) {
        check(Files.exists(directory), directory + ": no such directory");
        check(Files.isDirectory(directory), directory + ": not a directory");
        check(
            StorageInspection.isStorage(directory),
            directory + ": not a storage directory, it has no meta.properties");
      }
      // Not flushed with each line: a dump has many.
      PrintStream buffered =
          new PrintStream(
              new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, UTF_8);
      LogOutput out = json ? new LogJson(buffered) : new LogText(buffered);
      LogRun run = new LogRun(task, range, ids, out, Progress.onStandardError());
      boolean sound;
      try {
        sound = run.over(directories);
      } finally {
        buffered.flush();
      }
      for (String id : ids) {
        check(run.found(id), "--id " + id + ": no such persistence id; 'log list' has them");
      }
      return sound ? 0 : 1;
    }

    private void check(boolean holds, String message) {
      if (!holds) {
        throw new ParameterException(spec.commandLine(), message);
      }
    }
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      version = Main.VERSION,
      description =
          "Lists persistence ids with their sequence numbers, offsets, leader epoch and size.")
  static final class ListLogs implements Callable<Integer> {
    @Mixin private Selection selection;

    @Override
    public Integer call() throws Exception {
      return selection.run(LogRun.Task.LIST, LogRun.Range.ALL);
    }
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      version = Main.VERSION,
      description =
          "Reads everything and checks every checksum, the order of entries and segments, the"
              + " marks, the record batches and the snapshots.")
  static final class VerifyLogs implements Callable<Integer> {
    @Mixin private Selection selection;

    @Override
    public Integer call() throws Exception {
      return selection.run(LogRun.Task.VERIFY, LogRun.Range.ALL);
    }
  }

  @Command(
      name = "dump",
      mixinStandardHelpOptions = true,
      version = Main.VERSION,
      description = "Prints snapshots, entries, record batches and leader epochs.")
  static final class DumpLogs implements Callable<Integer> {
    @Mixin private Selection selection;

    @Option(
        names = "--from",
        description = "The first sequence number (default: ${DEFAULT-VALUE}).")
    private long from = 1;

    @Option(names = "--to", description = "The last sequence number.")
    private long to = Long.MAX_VALUE;

    @Option(names = "--from-offset", description = "Only batches with this offset or later ones.")
    private Long fromOffset;

    @Option(names = "--to-offset", description = "Only batches with this offset or earlier ones.")
    private Long toOffset;

    @Option(names = "--records", description = "Prints the records of the batches too.")
    private boolean records;

    @Override
    public Integer call() throws Exception {
      selection.check(from >= 1, "--from " + from + " is below 1");
      selection.check(from <= to, "--from " + from + " is above --to " + to);
      long first = fromOffset == null ? 0 : fromOffset;
      long last = toOffset == null ? Long.MAX_VALUE : toOffset;
      selection.check(first <= last, "--from-offset " + first + " is above --to-offset " + last);
      boolean byOffset = fromOffset != null || toOffset != null;
      return selection.run(
          LogRun.Task.DUMP, new LogRun.Range(from, to, byOffset, first, last, records));
    }
  }
}
