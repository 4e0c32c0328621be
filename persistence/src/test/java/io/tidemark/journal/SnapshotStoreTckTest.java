package io.tidemark.journal;

import akka.persistence.japi.snapshot.JavaSnapshotStoreSpec;

/** Akka's own snapshot store suite. */
public class SnapshotStoreTckTest extends JavaSnapshotStoreSpec {
  public SnapshotStoreTckTest() {
    super(TestConfig.withJournal("each-commit"));
  }
}
