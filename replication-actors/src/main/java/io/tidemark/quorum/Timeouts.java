package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.QuorumMessage.HelloRequest;
import java.util.LinkedHashSet;
import java.util.Set;

/** What a member does by itself when its time has come, state by state. */
final class Timeouts {
  private final QuorumMember me;
  private final QuorumSettings settings;
  private final Roles roles;
  private boolean retiring;

  Timeouts(QuorumMember me, QuorumSettings settings, Roles roles) {
    this.me = me;
    this.settings = settings;
    this.roles = roles;
  }

  /** It is about to stop: it hands over, and does not stand again. */
  void retire(Step step) {
    retiring = true;
    if (roles.leading != null) {
      roles.resign(step);
    }
  }

  void timePassed(Step step) {
    switch (roles.state) {
      case LEADER -> leaderTime(step);
      case FOLLOWER -> followerTime(step);
      case RECOVERING, STOPPED -> {}
      default -> {
        if (step.now() >= roles.deadline) {
          due(step);
        }
      }
    }
  }

  private void due(Step step) {
    switch (roles.state) {
      case FORMING -> {
        sayHello(true, step);
        roles.deadline = step.now() + settings.helloIntervalNanos();
      }
      case UNATTACHED -> {
        if (mayStand()) {
          roles.prospective(step);
        } else {
          sayHello(false, step);
          roles.deadline = step.now() + settings.helloIntervalNanos();
        }
      }
      case RESIGNED -> roles.afterResigning(step);
      default -> {
        // A candidate that lost has waited its time-out out, and asks before it stands again.
        // The leader may be one that became a voter meanwhile: others know where it is.
        sayHello(false, step);
        if (mayStand()) {
          roles.prospective(step);
        } else {
          roles.standDown(step);
        }
      }
    }
  }

  private void leaderTime(Step step) {
    roles.leading.timePassed(step);
    if (roles.leading.hasLostMajority(step.now())) {
      roles.resign(step);
    }
  }

  /** Who cannot stand looks for the one that did, and goes on trying the leader that it knows. */
  private void followerTime(Step step) {
    boolean doubts = roles.following.doubtsLeader(step.now());
    if (doubts && mayStand()) {
      roles.prospective(step);
      return;
    }
    if (doubts) {
      sayHello(false, step);
      roles.following.doubtLater(step.now() + settings.helloIntervalNanos());
    }
    roles.following.timePassed(step);
  }

  private boolean mayStand() {
    return roles.isVoter() && !retiring;
  }

  /** To all of them, each time: who was blank, or knew no leader, may know more now. */
  private void sayHello(boolean blank, Step step) {
    HelloRequest hello = new HelloRequest(me.self(), me.directoryId(), me.address(), blank);
    Set<String> addresses = new LinkedHashSet<>(me.voterAddresses());
    roles.voters.list().stream().map(Voter::address).forEach(addresses::add);
    addresses.remove(me.address());
    addresses.forEach(address -> step.add(new QuorumEffect.SendHello(address, hello)));
  }

  long nextDeadline(long now) {
    if (roles.leading != null) {
      return roles.leading.nextDeadline(now);
    }
    return roles.following != null ? roles.following.nextDeadline() : roles.deadline;
  }
}
