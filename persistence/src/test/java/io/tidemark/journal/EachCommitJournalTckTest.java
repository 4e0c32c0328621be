package io.tidemark.journal;

import akka.persistence.CapabilityFlag;
import akka.persistence.japi.journal.JavaJournalSpec;

/** Akka's own journal suite with flush policy {@code each-commit}. */
public class EachCommitJournalTckTest extends JavaJournalSpec {
  public EachCommitJournalTckTest() {
    super(TestConfig.withJournal("each-commit"));
  }

  @Override
  public CapabilityFlag supportsRejectingNonSerializableObjects() {
    return CapabilityFlag.on();
  }
}
