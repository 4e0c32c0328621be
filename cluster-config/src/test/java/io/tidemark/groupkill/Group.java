package io.tidemark.groupkill;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The members, each in a process of its own; they come and go. */
final class Group implements AutoCloseable {
  private static final int MEMBERS = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private final KillCluster cluster;
  private final GroupLedger ledger;
  private final List<MemberProcess> members = new ArrayList<>();
  private int started;
  private MemberProcess away;
  private MemberProcess suspended;
  private Set<Integer> missed = Set.of();

  Group(KillCluster cluster, GroupLedger ledger) throws IOException {
    this.cluster = cluster;
    this.ledger = ledger;
    for (int i = 0; i < MEMBERS; i++) {
      members.add(start());
    }
  }

  private MemberProcess start() throws IOException {
    int number = ++started;
    return new MemberProcess(
        "member-" + number, cluster.dir(), number % 2 == 0, cluster.addresses(), ledger);
  }

  private void replace(int index) throws IOException {
    members.set(index, start());
    members.get(index).join();
  }

  void join() throws IOException {
    for (MemberProcess member : members) {
      member.join();
    }
  }

  List<MemberProcess> members() {
    return members;
  }

  /**
   * By turns: a member leaves in order, and one is suspended until the group takes it for dead; the
   * first comes back, and the third is killed; a new one comes in its place.
   */
  void change(int step) throws IOException, InterruptedException {
    int turn = step / MEMBERS;
    int victim = (turn + 1) % MEMBERS;
    switch (step % MEMBERS) {
      case 0 -> {
        away = members.get(turn % MEMBERS);
        away.leave();
        awaitProceeded();
        suspended = members.get((turn + 2) % MEMBERS);
        missed = ledger.held(suspended.session());
        suspended.suspend();
      }
      case 1 -> {
        comeBack();
        members.get(victim).kill();
      }
      default -> replace(victim);
    }
  }

  private void comeBack() throws IOException, InterruptedException {
    if (away != null) {
      away.awaitLeft();
      away.join();
      away = null;
    }
  }

  private void awaitProceeded() throws IOException, InterruptedException {
    awaitTrue("the suspended member is given up", this::isGivenUp);
    proceedIfGivenUp();
  }

  /** Whether others have all that the suspended member had. */
  private boolean isGivenUp() {
    Set<Integer> taken = new HashSet<>();
    members.stream()
        .filter(member -> member != suspended)
        .forEach(member -> taken.addAll(ledger.held(member.session())));
    return suspended == null || taken.containsAll(missed);
  }

  /** Lets a suspended member go on when the group has taken it for dead. */
  void proceedIfGivenUp() throws IOException, InterruptedException {
    if (suspended != null && isGivenUp()) {
      suspended.proceed();
      suspended = null;
    }
  }

  /** After the last change: who is away comes back, and who was killed belongs to it no more. */
  void settle() throws IOException, InterruptedException {
    comeBack();
    awaitProceeded();
    members.removeIf(member -> member.session().wasKilled());
  }

  void checkAlive() {
    List<String> faults = new ArrayList<>(ledger.faults());
    for (MemberProcess member : members) {
      if (!member.isAlive() && !member.session().wasKilled()) {
        faults.add(member.name() + " has ended by itself; its log says why");
      }
    }
    if (!faults.isEmpty()) {
      throw new AssertionError(faults);
    }
  }

  /** Waits until all partitions are dealt out, to each member as many. */
  void awaitShares() throws InterruptedException {
    awaitTrue(
        "equal shares",
        () ->
            members.stream()
                .allMatch(
                    it ->
                        ledger.held(it.session()).size()
                            == SteadyWriter.PARTITIONS / members.size()));
  }

  void awaitTrue(String what, BooleanSupplier condition) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      checkAlive();
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("not within a while: " + what + state());
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private String state() {
    StringBuilder text = new StringBuilder();
    for (MemberProcess member : members) {
      text.append("; ").append(member.name()).append(" has ").append(ledger.held(member.session()));
    }
    for (int partition = 0; partition < SteadyWriter.PARTITIONS; partition++) {
      text.append("; of ")
          .append(partition)
          .append(" is missing ")
          .append(ledger.missing(Set.of(partition)));
    }
    return text.toString();
  }

  /** All at once, in order. */
  void leave() throws IOException, InterruptedException {
    for (MemberProcess member : members) {
      member.leave();
    }
    for (MemberProcess member : members) {
      member.awaitLeft();
    }
  }

  @Override
  public void close() {
    members.forEach(MemberProcess::close);
  }
}
