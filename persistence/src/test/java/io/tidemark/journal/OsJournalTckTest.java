package io.tidemark.journal;

import akka.persistence.CapabilityFlag;
import akka.persistence.japi.journal.JavaJournalSpec;

/** Akka's own journal suite with flush policy {@code os}. */
public class OsJournalTckTest extends JavaJournalSpec {
  public OsJournalTckTest() {
    super(TestConfig.withJournal("os"));
  }

  @Override
  public CapabilityFlag supportsRejectingNonSerializableObjects() {
    return CapabilityFlag.on();
  }
}
