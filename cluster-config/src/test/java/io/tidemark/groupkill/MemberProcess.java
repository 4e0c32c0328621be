package io.tidemark.groupkill;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tidemark.groupkill.MemberEvent.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The process of a member, see {@link MemberMain}. */
final class MemberProcess implements AutoCloseable {
  static final long HEAP_BYTES = 64 << 20;
  private static final long PATIENCE_SECONDS = 90;

  private final String name;
  private final GroupLedger ledger;
  private final Process process;
  private final Thread reading;
  private final BlockingQueue<MemberEvent> answers = new LinkedBlockingQueue<>();
  private volatile GroupLedger.Session session;

  /**
   * @param dir for what it logs and tells
   * @param partitioned whether each partition has a stream of its own
   */
  MemberProcess(
      String name, Path dir, boolean partitioned, List<String> brokers, GroupLedger ledger)
      throws IOException {
    this.name = name;
    this.ledger = ledger;
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + HEAP_BYTES,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dakka.fail-mixed-versions=off",
                "-cp",
                System.getProperty("java.class.path"),
                MemberMain.class.getName(),
                String.valueOf(partitioned)));
    command.addAll(brokers);
    this.process =
        new ProcessBuilder(command).redirectError(dir.resolve(name + ".log").toFile()).start();
    Path events = dir.resolve(name + ".events");
    this.reading = new Thread(() -> read(events), name);
    reading.setDaemon(true);
    reading.start();
  }

  private void read(Path events) {
    try (BufferedReader lines = process.inputReader(US_ASCII);
        PrintWriter copy = new PrintWriter(events.toFile(), US_ASCII)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        copy.println(line);
        MemberEvent.parse(line).ifPresent(this::told);
      }
    } catch (IOException e) {
      ledger.fault(name + " cannot be read: " + e);
    }
  }

  private void told(MemberEvent event) {
    switch (event.kind()) {
      case HEAP, STOPPED -> answers.add(event);
      default -> {
        ledger.add(session, event);
        if (event.kind() == Kind.LEFT) {
          answers.add(event);
        }
      }
    }
  }

  String name() {
    return name;
  }

  GroupLedger.Session session() {
    return session;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void join() throws IOException {
    session = ledger.newSession(name);
    command("join");
  }

  /** Begins to leave in order. */
  void leave() throws IOException {
    command("leave");
  }

  void awaitLeft() throws InterruptedException {
    await(Kind.LEFT);
  }

  /** Has its streams ask for nothing more; returns when that is so. */
  void stop() throws IOException, InterruptedException {
    command("stop");
    await(Kind.STOPPED);
  }

  void resume() throws IOException {
    command("resume");
  }

  /** The bytes that it holds. */
  long heapInUse() throws IOException, InterruptedException {
    command("heap");
    return await(Kind.HEAP).offset();
  }

  /** SIGSTOP: nothing of it goes on, as in a long pause of its machine. */
  void suspend() throws IOException, InterruptedException {
    signal("-STOP");
  }

  void proceed() throws IOException, InterruptedException {
    signal("-CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    String pid = String.valueOf(process.pid());
    int code = new ProcessBuilder("kill", signal, pid).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("kill " + signal + " " + pid + " ended with " + code);
    }
  }

  /** SIGKILL; what it has told before counts. */
  void kill() throws InterruptedException {
    // Through the handle: what was told before can still be read.
    process.toHandle().destroyForcibly();
    process.waitFor();
    reading.join();
    ledger.killed(session);
  }

  private void command(String command) throws IOException {
    process.getOutputStream().write((command + "\n").getBytes(US_ASCII));
    process.getOutputStream().flush();
  }

  private MemberEvent await(Kind kind) throws InterruptedException {
    MemberEvent answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (answer == null || answer.kind() != kind) {
      throw new AssertionError(name + " was to tell " + kind + ", and told " + answer);
    }
    return answer;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
