package io.tidemark.quorum;

import io.tidemark.log.LogEvent.Voter;
import io.tidemark.protocol.QuorumMessage.HelloResponse;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How an empty directory learns the voters.
 *
 * <p>Invariant: a directory becomes a voter only together with all the others, all of them empty,
 * or because recorded voters name it. One that was wiped is neither, so it never votes a second
 * time in an epoch in which its old disk voted.
 */
final class Formation {
  private final QuorumMember me;
  private final Map<String, Voter> blank = new HashMap<>();

  Formation(QuorumMember me) {
    this.me = me;
    if (me.voterAddresses().contains(me.address())) {
      blank.put(me.address(), new Voter(me.self(), me.directoryId(), me.address()));
    }
  }

  /** Returns the voters when they are settled by this answer, otherwise none. */
  List<Voter> answered(HelloResponse response) {
    if (!response.voters().isEmpty()) {
      return response.voters();
    }
    if (response.blank() && me.voterAddresses().contains(response.address())) {
      blank.put(
          response.address(), new Voter(response.id(), response.directoryId(), response.address()));
    }
    return ifAllBlank();
  }

  /** Only one of the voters may form; an observer waits until they have. */
  List<Voter> ifAllBlank() {
    long ids = blank.values().stream().map(Voter::id).distinct().count();
    boolean all =
        blank.containsKey(me.address())
            && blank.keySet().containsAll(me.voterAddresses())
            && ids == blank.size();
    return all
        ? blank.values().stream().sorted(Comparator.comparingInt(Voter::id)).toList()
        : List.of();
  }
}
