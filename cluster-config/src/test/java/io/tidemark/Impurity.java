package io.tidemark;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What a core may not reach for: it would no longer be a function of its inputs. */
enum Impurity {
  AKKA(List.of("akka.", "scala."), Set.of(), Set.of()),
  CLOCK(
      List.of("java.time.Clock"),
      Set.of(),
      Set.of(
          "java.lang.System.nanoTime",
          "java.lang.System.currentTimeMillis",
          "java.time.Instant.now",
          "java.time.LocalDateTime.now",
          "java.time.OffsetDateTime.now",
          "java.time.ZonedDateTime.now")),
  THREADS(
      List.of("java.lang.Thread", "java.util.concurrent.", "java.util.Timer"),
      Set.of("java.util.concurrent.TimeUnit", "java.util.concurrent.ThreadLocalRandom"),
      Set.of("java.lang.Object.wait", "java.lang.Object.notify", "java.lang.Object.notifyAll")),
  FILES(
      List.of("java.io.", "java.nio.file.", "java.nio.channels.", "java.net."),
      Set.of("java.io.Serializable"),
      Set.of()),
  CHANCE(
      List.of(
          "java.util.Random",
          "java.util.SplittableRandom",
          "java.util.random.",
          "java.security.SecureRandom",
          "java.util.concurrent.ThreadLocalRandom"),
      Set.of(),
      Set.of(
          "java.util.UUID.randomUUID", "java.lang.Math.random", "java.util.Collections.shuffle"));

  private final List<String> types;
  private final Set<String> harmless;
  private final Set<String> methods;

  Impurity(List<String> types, Set<String> harmless, Set<String> methods) {
    this.types = types;
    this.harmless = harmless;
    this.methods = methods;
  }

  /** Where a class reaches for it, each as a sentence. */
  Stream<String> in(JavaClass origin) {
    Stream<String> byType =
        origin.getDirectDependenciesFromSelf().stream()
            .filter(dependency -> isForbidden(dependency.getTargetClass().getBaseComponentType()))
            .map(dependency -> dependency.getDescription());
    Stream<String> byMethod =
        origin.getAccessesFromSelf().stream()
            .filter(access -> methods.contains(nameOf(access)))
            .map(JavaAccess::getDescription);
    return Stream.concat(byType, byMethod).map(found -> name() + ": " + found);
  }

  private boolean isForbidden(JavaClass type) {
    return !harmless.contains(type.getName())
        && types.stream().anyMatch(prefix -> matches(type.getName(), prefix));
  }

  private static boolean matches(String name, String prefix) {
    return prefix.endsWith(".") ? name.startsWith(prefix) : name.equals(prefix);
  }

  private static String nameOf(JavaAccess<?> access) {
    return access.getTargetOwner().getName() + "." + access.getTarget().getName();
  }
}
