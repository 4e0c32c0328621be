package io.tidemark.cli;

import io.tidemark.cli.bench.BenchCommand;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line, {@code bin/tidemark}. */
@Command(
    name = "tidemark",
    mixinStandardHelpOptions = true,
    version = Main.VERSION,
    description = "A replicated, partitioned, durable log that lives inside an Akka application.",
    footer =
        "%nbin/tidemark simulate --help: whole clusters in virtual time, with all their faults.",
    subcommands = {
      NodeCommand.class,
      DemoCommand.class,
      LogCommand.class,
      BenchCommand.class,
      CommandLine.HelpCommand.class
    })
public final class Main implements Runnable {
  static final String VERSION = "Tidemark 0.1.0";

  /** What the command line says is wrong. */
  static final int USAGE = 2;

  private static final String LOGGING = "logback.configurationFile";

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  private Main() {}

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
  }

  public static void main(String[] args) {
    // Under a name of its own: an application that embeds the library has its own logback.xml.
    if (System.getProperty(LOGGING) == null) {
      System.setProperty(LOGGING, "tidemark-logback.xml");
    }
    System.exit(execute(args));
  }

  static int execute(String... args) {
    CommandLine line = new CommandLine(new Main());
    line.setParameterExceptionHandler(Main::usage);
    line.setExecutionExceptionHandler(Main::failed);
    return line.execute(args);
  }

  private static int usage(CommandLine.ParameterException e, String[] args) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    System.err.println(command + ": " + oneLine(e.getMessage()) + "; see " + command + " --help");
    return USAGE;
  }

  private static int failed(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    String command = line.getCommandSpec().qualifiedName();
    System.err.println(command + ": " + oneLine(messageOf(e)));
    return 1;
  }

  /** What went wrong underneath says more than what was wrapped around it. */
  static String messageOf(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && cause.getMessage() != null
        && cause.getMessage().startsWith(cause.getCause().getClass().getName())) {
      cause = cause.getCause();
    }
    if (cause instanceof FileSystemException file) {
      return file.getFile() + ": " + reasonOf(file);
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /** The message of such an exception is often the file's name alone. */
  private static String reasonOf(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    } else if (failure instanceof AccessDeniedException) {
      return "permission denied";
    } else if (failure instanceof FileAlreadyExistsException) {
      return "exists, and is not a directory";
    }
    return failure.getReason() == null ? failure.toString() : failure.getReason();
  }

  private static String oneLine(String message) {
    return message.replaceAll("\\s*\\R\\s*", " ");
  }
}
