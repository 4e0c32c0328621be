package io.tidemark.journal;

import akka.persistence.japi.snapshot.JavaSnapshotStoreSpec;

/** Akka's own snapshot store suite beside a journal with flush policy {@code os}. */
public class OsSnapshotStoreTckTest extends JavaSnapshotStoreSpec {
  public OsSnapshotStoreTckTest() {
    super(TestConfig.withJournal("os"));
  }
}
