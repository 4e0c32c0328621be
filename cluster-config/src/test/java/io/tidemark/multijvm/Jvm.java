package io.tidemark.multijvm;

import akka.actor.ActorSystem;
import akka.remote.testconductor.RoleName;
import akka.remote.testkit.MultiNodeConfig;
import akka.remote.testkit.MultiNodeSpec;
import java.util.List;
import scala.jdk.javaapi.CollectionConverters;

/** This JVM as the test conductor sees it. */
final class Jvm extends MultiNodeSpec {
  /** As in nodes of the command line, which may take a JVM's place. */
  private static final String SYSTEM = "tidemark";

  Jvm(MultiNodeConfig config) {
    super(config, settings -> ActorSystem.create(SYSTEM, settings));
  }

  @Override
  public int initialParticipants() {
    return MultiNodeSpec.maxNodes();
  }

  boolean is(RoleName role) {
    return myself().equals(role);
  }

  /** Waits until all JVMs that still run have come here. */
  void meet(String barrier) {
    enterBarrier(CollectionConverters.asScala(List.of(barrier)).toSeq());
  }
}
