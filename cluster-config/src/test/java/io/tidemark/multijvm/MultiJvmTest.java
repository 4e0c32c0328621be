package io.tidemark.multijvm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class MultiJvmTest {

  @TestFactory
  Stream<DynamicTest> the_end_of_the_leaders_process_loses_nothing() throws Exception {
    Path dir = Files.createTempDirectory(Files.createDirectories(Path.of("target/multi-jvm")), "");

    return new ForkedJvms(LeaderExit.class, dir).run(LeaderExit.JVMS);
  }
}
