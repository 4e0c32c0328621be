package io.tidemark.benchmark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/** One run of a workload against a running cluster: one sender, all partitions in turns. */
final class Load {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Duration ANSWER_TIME = Duration.ofSeconds(30);

  private final Plan plan;
  private final Peer peer;
  private final byte[] request;
  // Nanoseconds: what is measured lies from the one to before the other.
  private final long began = System.nanoTime();
  private final long from;
  private final long to;

  private final LongAdder sent = new LongAdder();
  private final LongAdder acknowledged = new LongAdder();
  private final LongAdder measured = new LongAdder();
  private final ConcurrentHistogram latencies = new ConcurrentHistogram(LONGEST_NANOS, 3);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private Load(Plan plan, Peer peer) {
    this.plan = plan;
    this.peer = peer;
    // Not compressible, and always the same.
    request = new byte[plan.size * peer.recordsInRequest()];
    new Random(plan.size).nextBytes(request);
    from = began + TimeUnit.SECONDS.toNanos(plan.warmUp);
    to = from + TimeUnit.SECONDS.toNanos(plan.seconds);
  }

  static Measurement run(String contestant, Plan plan, Peer peer, Nodes nodes) throws Exception {
    Load load = new Load(plan, peer);
    Thread sender = new Thread(load::send, "sender");
    sender.setDaemon(true);
    sender.start();
    sleepUntil(load.from);
    Duration cpuBefore = nodes.cpu().plusNanos(cpuNanos());
    sleepUntil(load.to);
    Duration cpu = nodes.cpu().plusNanos(cpuNanos()).minus(cpuBefore);
    load.awaitAnswers(sender);
    long records = load.measured.sum() * peer.recordsInRequest();
    long lost = load.acknowledged.sum() * peer.recordsInRequest() - peer.stored();
    return Measurement.of(
        contestant, plan, records, load.latencies, cpu.toNanos() / 1e9, Math.max(0, lost));
  }

  private void send() {
    try {
      if (plan.workload == Plan.Workload.LATENCY) {
        sendAtRate();
      } else {
        for (int i = 0; System.nanoTime() - to < 0 && failure.get() == null; i++) {
          send(i % plan.partitions, System.nanoTime());
        }
      }
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    }
  }

  private void sendAtRate() throws Exception {
    int records = plan.rate * (plan.warmUp + plan.seconds);
    for (int i = 0; i < records && failure.get() == null; i++) {
      long due = began + i * 1_000_000_000L / plan.rate;
      sleepUntil(due);
      send(i % plan.partitions, due);
    }
  }

  private void send(int partition, long due) throws Exception {
    sent.increment();
    peer.send(partition, request, failed -> done(due, failed));
  }

  private void done(long due, Throwable failed) {
    if (failed != null) {
      failure.compareAndSet(null, failed);
      return;
    }
    long now = System.nanoTime();
    if (isMeasured(due)) {
      latencies.recordValue(Math.min(now - due, LONGEST_NANOS));
    }
    if (isMeasured(now)) {
      measured.increment();
    }
    acknowledged.increment();
  }

  private boolean isMeasured(long nanos) {
    return nanos - from >= 0 && nanos - to < 0;
  }

  private void awaitAnswers(Thread sender) throws InterruptedException {
    sender.join(ANSWER_TIME.toMillis());
    long deadline = System.nanoTime() + ANSWER_TIME.toNanos();
    while (failure.get() == null && (sender.isAlive() || acknowledged.sum() < sent.sum())) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "%d requests were not answered within %d s"
                .formatted(sent.sum() - acknowledged.sum(), ANSWER_TIME.toSeconds()));
      }
      Thread.sleep(10);
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a request has failed", failure.get());
    }
  }

  private static void sleepUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
