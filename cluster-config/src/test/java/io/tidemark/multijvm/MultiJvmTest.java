package io.tidemark.multijvm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class MultiJvmTest {

  @TestFactory
  Stream<DynamicTest> the_end_of_the_leaders_process_loses_nothing() throws Exception {
    return run(LeaderExit.class, 1);
  }

  @TestFactory
  Stream<DynamicTest> a_leader_that_is_cut_off_loses_nothing() throws Exception {
    return run(CutOffLeader.class, 0);
  }

  @TestFactory
  Stream<DynamicTest> a_cut_in_one_direction_loses_nothing() throws Exception {
    return run(OneWayCut.class, 0);
  }

  @TestFactory
  Stream<DynamicTest> the_end_of_the_controllers_process_loses_nothing() throws Exception {
    return run(ControllerExit.class, 1);
  }

  @TestFactory
  Stream<DynamicTest> a_node_that_loses_its_disk_loses_nothing() throws Exception {
    return run(WipedDisk.class, 2);
  }

  @TestFactory
  Stream<DynamicTest> a_follower_that_stands_still_loses_nothing() throws Exception {
    return run(SlowFollower.class, 0);
  }

  private static Stream<DynamicTest> run(Class<?> spec, int ended) throws Exception {
    Path dir =
        Files.createTempDirectory(
            Files.createDirectories(Path.of("target/multi-jvm")), spec.getSimpleName());
    return new ForkedJvms(spec, dir).run(ConductedCluster.JVMS, ended);
  }
}
