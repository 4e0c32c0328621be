package io.tidemark.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which Akka cluster a node should be in: the one that the leader of the controller quorum is in. A
 * pure core.
 *
 * <p>A cluster is formed only by a leader that the quorum has followed (its broker is registered),
 * when every voter says that it is in none; a voter that stays silent is waited for, since it may
 * be in one.
 */
final class ClusterChoice {
  /** An answer that is older says nothing of now. */
  static final long FRESH_NANOS = 1_000_000_000L;

  /** A voter that does not answer for so long is taken to be down, if most do answer. */
  static final long SILENCE_NANOS = 5_000_000_000L;

  /** Members learn of each other within seconds; who still differs after this is elsewhere. */
  static final long STRAY_NANOS = 15_000_000_000L;

  /** What to do now. */
  sealed interface Decision {
    record Wait() implements Decision {}

    /** Form a cluster. */
    record Form() implements Decision {}

    record Join(String address) implements Decision {}

    /** This node is in another cluster than the leader: only starting anew helps. */
    record StartAnew() implements Decision {}
  }

  /**
   * @param leader the address of the quorum's leader, null while it is not known
   * @param registered whether the quorum has accepted this node's broker
   * @param joined whether this node is in a cluster
   * @param oldest the oldest member of that cluster: what tells it from another; null for none
   */
  record Situation(String leader, boolean registered, boolean joined, String oldest) {}

  private record Answer(boolean joined, String oldest, long at) {}

  private static final Decision WAIT = new Decision.Wait();

  private final String self;
  private final List<String> voters;
  private final Map<String, Answer> answers = new HashMap<>();
  private String leader;
  private long askingSince;
  private long strayedSince = -1;

  ClusterChoice(String self, List<String> voters) {
    this.self = self;
    this.voters = List.copyOf(voters);
  }

  /** Whom to ask whether they are in a cluster. */
  List<String> toAsk(Situation situation) {
    if (situation.leader() == null) {
      return List.of();
    }
    if (!situation.leader().equals(self)) {
      return List.of(situation.leader());
    }
    return situation.joined()
        ? List.of()
        : voters.stream().filter(voter -> !voter.equals(self)).toList();
  }

  void answered(String address, boolean joined, String oldest, long now) {
    answers.put(address, new Answer(joined, oldest, now));
  }

  Decision decide(Situation situation, long now) {
    if (situation.leader() == null) {
      leader = null;
      return WAIT;
    }
    if (!situation.leader().equals(leader)) {
      leader = situation.leader();
      askingSince = now;
      strayedSince = -1;
      answers.clear();
    }
    answers.values().removeIf(answer -> now - answer.at() > FRESH_NANOS);
    if (situation.joined()) {
      return checkCluster(situation, now);
    }
    strayedSince = -1;
    if (!leader.equals(self)) {
      Answer answer = answers.get(leader);
      return answer != null && answer.joined() ? new Decision.Join(leader) : WAIT;
    }
    return situation.registered() ? lead(now) : WAIT;
  }

  private Decision lead(long now) {
    for (String voter : voters) {
      Answer answer = answers.get(voter);
      if (answer != null && answer.joined()) {
        return new Decision.Join(voter);
      }
    }
    long free = voters.stream().filter(it -> it.equals(self) || answers.containsKey(it)).count();
    boolean waitedLong = now - askingSince >= SILENCE_NANOS && 2 * free > voters.size();
    return free == voters.size() || waitedLong ? new Decision.Form() : WAIT;
  }

  private Decision checkCluster(Situation situation, long now) {
    Answer answer = leader.equals(self) ? null : answers.get(leader);
    boolean differs =
        answer != null
            && answer.joined()
            && answer.oldest() != null
            && !answer.oldest().equals(situation.oldest());
    if (answer != null && !differs) {
      strayedSince = -1;
    } else if (differs && strayedSince < 0) {
      strayedSince = now;
    }
    return differs && now - strayedSince >= STRAY_NANOS ? new Decision.StartAnew() : WAIT;
  }
}
