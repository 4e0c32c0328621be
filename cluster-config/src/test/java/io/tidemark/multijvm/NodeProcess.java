package io.tidemark.multijvm;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The main class of a forked JVM: runs one test class, and prints each test's outcome. */
final class NodeProcess {
  private NodeProcess() {}

  public static void main(String[] args) {
    Outcomes outcomes = new Outcomes(System.out);
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(args[0])).build(),
            outcomes);
    System.out.flush();
    System.exit(outcomes.failures.get() == 0 ? 0 : 1);
  }

  private static final class Outcomes implements TestExecutionListener {
    private final PrintStream out;
    private final AtomicInteger failures = new AtomicInteger();

    Outcomes(PrintStream out) {
      this.out = out;
    }

    @Override
    public void executionFinished(TestIdentifier id, TestExecutionResult result) {
      boolean succeeded = result.getStatus() == Status.SUCCESSFUL;
      if (!succeeded) {
        failures.incrementAndGet();
        result.getThrowable().ifPresent(failure -> failure.printStackTrace(out));
      }
      if (id.isTest() || !succeeded) {
        String message = result.getThrowable().map(Throwable::toString).orElse("");
        out.println(new Outcome(id.getDisplayName(), succeeded, message).line());
        out.flush();
      }
    }
  }
}
