package io.tidemark.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The topics of a subscription that no broker has told of yet: each is asked for until it is there,
 * since it may be created later, and complained of once.
 */
final class TopicSearch {
  private static final long ASK_NANOS = 1_000_000_000L;

  /** A topic that was created just now is not known everywhere yet. */
  private static final long COMPLAIN_NANOS = 5_000_000_000L;

  private static final class Missing {
    private String reason = "no broker answers; check the brokers' addresses, and that they run";
    private boolean told;
  }

  private final Map<String, Missing> missing = new HashMap<>();
  private long askAt;

  TopicSearch(Collection<String> topics) {
    topics.forEach(topic -> missing.put(topic, new Missing()));
  }

  /** Those to ask a broker for now. */
  List<String> due(long now) {
    if (now < askAt) {
      return List.of();
    }
    askAt = now + ASK_NANOS;
    return List.copyOf(missing.keySet());
  }

  void described(String topic, boolean exists) {
    Missing each = missing.get(topic);
    if (exists) {
      missing.remove(topic);
    } else if (each != null) {
      each.reason = "there is no such topic; create it, or check the name";
    }
  }

  /** What to tell now: each topic is told of once. */
  List<String> complaints(long now) {
    List<String> complaints = new ArrayList<>();
    if (now >= COMPLAIN_NANOS) {
      missing.forEach(
          (topic, each) -> {
            if (!each.told) {
              each.told = true;
              complaints.add("topic '%s': %s".formatted(topic, each.reason));
            }
          });
    }
    return complaints;
  }
}
