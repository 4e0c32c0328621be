package io.tidemark.controller;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * When each broker was last heard of. Not in the log: a new controller gives everyone a full
 * session, since it cannot know better. Holds at most one entry for each registered broker.
 */
final class BrokerSessions {
  private final long timeoutNanos;
  private final Map<Integer, Session> sessions = new HashMap<>();

  BrokerSessions(long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
  }

  /**
   * @param statusOffset what the controller last decided about the broker is below it in the log
   */
  private record Session(long heardNanos, long statusOffset) {}

  void heard(int brokerId, long nowNanos) {
    sessions.put(brokerId, new Session(nowNanos, statusOffset(brokerId)));
  }

  void statusChanged(int brokerId, long statusOffset) {
    sessions.computeIfPresent(
        brokerId, (id, session) -> new Session(session.heardNanos(), statusOffset));
  }

  long statusOffset(int brokerId) {
    Session session = sessions.get(brokerId);
    return session == null ? 0 : session.statusOffset();
  }

  boolean isValid(int brokerId, long nowNanos) {
    Session session = sessions.get(brokerId);
    return session != null && nowNanos - session.heardNanos() <= timeoutNanos;
  }

  /** The unfenced brokers that were silent for too long. */
  Set<Integer> expired(MetadataImage image, long nowNanos) {
    Set<Integer> silent = new TreeSet<>();
    for (Broker broker : image.brokers().values()) {
      if (!broker.fenced() && !isValid(broker.id(), nowNanos)) {
        silent.add(broker.id());
      }
    }
    return silent;
  }
}
