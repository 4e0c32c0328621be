package io.tidemark.journal;

import java.util.List;

/** The lanes of one plugin instance; a persistence id is always on the same one. */
record Lanes(List<Lane> all) {
  Lane of(String persistenceId) {
    return all.get(Math.floorMod(persistenceId.hashCode(), all.size()));
  }
}
