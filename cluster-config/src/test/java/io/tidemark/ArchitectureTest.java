package io.tidemark;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final String ROOT = "io.tidemark.";

  /** What each package may know besides itself. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("record", Set.of()),
          // How settings are read and checked.
          Map.entry("settings", Set.of()),
          Map.entry("log", Set.of("record")),
          Map.entry("journal", Set.of("log", "record", "settings")),
          // What lies in a storage directory, told without a node.
          Map.entry("inspect", Set.of("journal", "log", "record")),
          Map.entry("protocol", Set.of("log", "record")),
          Map.entry("wire", Set.of("protocol", "log", "record")),
          // Connections of the data path, beside the actor system's transport.
          Map.entry("channel", Set.of("wire")),
          Map.entry("replica", Set.of("channel", "wire", "protocol", "log", "record")),
          Map.entry("quorum", Set.of("replica", "protocol", "log", "record")),
          Map.entry("controller", Set.of("quorum", "replica", "wire", "protocol", "log", "record")),
          Map.entry("group", Set.of("protocol")),
          Map.entry(
              "broker", Set.of("controller", "replica", "group", "wire", "protocol", "record")),
          // Keys and values of applications, as bytes.
          Map.entry("serialization", Set.of()),
          Map.entry(
              "client",
              Set.of(
                  "group", "serialization", "channel", "wire", "protocol", "record", "settings")),
          Map.entry(
              "cluster",
              Set.of(
                  "client",
                  "broker",
                  "channel",
                  "group",
                  "controller",
                  "quorum",
                  "replica",
                  "wire",
                  "protocol",
                  "journal",
                  "log",
                  "record",
                  "settings")),
          // The log tools show what lies on the disk, through "inspect" alone.
          Map.entry(
              "cli",
              Set.of(
                  "cli.bench",
                  "cli.local",
                  "cluster",
                  "client",
                  "serialization",
                  "inspect",
                  "wire",
                  "protocol",
                  "record")),
          Map.entry(
              "cli.bench",
              Set.of("cli.local", "client", "serialization", "journal", "protocol", "record")),
          Map.entry("cli.local", Set.of("client", "wire", "protocol")));

  private static final Set<String> PURE =
      Set.of(
          "record",
          "protocol",
          "log",
          "replica",
          "quorum",
          "controller",
          "group",
          "broker",
          "client");

  private static final Set<String> WITHOUT_AKKA = Set.of("record", "protocol", "quorum", "group");

  /** The shells around the cores, and what else is no core; each with its reason. */
  private static final Map<String, String> EXEMPT =
      Map.ofEntries(
          Map.entry("record.BufferInput", "a stream over memory, for the decompressors"),
          Map.entry("record.GrowingBytes", "a stream into memory, for the compressors"),
          Map.entry("record.Compression", "compressors are streams; these end in memory"),
          Map.entry("log.BatchReader", "passes on the IOException of whoever reads the disk"),
          Map.entry("log.EntrySource", "the way to the disk, with its IOException"),
          Map.entry("log.JournalSpace", "deletes what the log's actor does not need"),
          Map.entry("log.LogSerializer", "Akka's serializer of log events"),
          Map.entry("log.LogErasure", "asks the journal's and the snapshot store's actors"),
          Map.entry("log.PartitionLog", "the actor that writes the log"),
          Map.entry("replica.Askers", "the refs behind the cores' tokens"),
          Map.entry("replica.DeadlineTimer", "the actors' clock"),
          Map.entry("replica.LogAccess", "reads beside the actor, off its thread"),
          Map.entry("replica.PartitionReplica", "the replica's actor"),
          Map.entry("replica.PeerLocator", "how the actor finds its peers"),
          Map.entry("replica.Peers", "the refs of the actor's peers"),
          Map.entry("replica.ReadAnswers", "reads for the actor, off its thread"),
          Map.entry("replica.TailCache", "one budget for all of a node's replicas"),
          Map.entry("controller.ControllerReplica", "the controller's actor"),
          Map.entry("controller.QuorumMail", "the refs of the other members"),
          Map.entry("broker.BrokerNode", "the broker's actor"),
          Map.entry("broker.GroupCoordinators", "the group coordinator's actor"),
          Map.entry("broker.GroupReplica", "the replica below a coordinator, by its ref"),
          Map.entry("broker.ControllerLink", "answers to the refs of those who asked"),
          Map.entry("client.Asking", "repeats questions to brokers, for any thread"),
          Map.entry("client.BufferMemory", "one budget for the application's threads"),
          Map.entry("client.ClusterNodes", "resolves the brokers' refs, for any thread"),
          Map.entry("client.Committable", "what the application sees: futures"),
          Map.entry("client.CommittableOffset", "what the application sees: futures"),
          Map.entry("client.CommittableOffsetBatch", "what the application sees: futures"),
          Map.entry("client.Committer", "what the application sees: streams"),
          Map.entry("client.Consumer", "what the application sees: streams"),
          Map.entry("client.ConsumerActor", "the consumer's actor"),
          Map.entry("client.ConsumerHandle", "the way from an offset to its consumer"),
          Map.entry("client.FetchMemory", "one budget for a consumer's streams"),
          Map.entry("client.GroupOffsets", "what the application sees: futures"),
          Map.entry("client.PartitionFeed", "one partition's part of a consumer's stream"),
          Map.entry("client.PartitionReader", "what the application sees: futures and streams"),
          Map.entry("client.PendingSend", "what the application sees: a future"),
          Map.entry("client.Producer", "what the application sees: futures and streams"),
          Map.entry("client.ProducerActor", "the producer's actor"),
          Map.entry("client.ProducerBehavior", "the application's way to a producer's actor"),
          Map.entry("client.ProducerRecord", "stamps a record with the time at which it was made"),
          Map.entry("client.ReaderActor", "the reader's actor"),
          Map.entry("client.ReplicaRefs", "the refs of the replicas that a client talks to"),
          Map.entry("client.SendQueue", "between the application's threads and an actor"),
          Map.entry("client.TidemarkClient", "what the application sees: futures"));

  private static JavaClasses classes;

  @BeforeAll
  static void readClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.tidemark");
  }

  @Test
  void packages_know_only_what_is_below_them() {
    Set<String> upward =
        classes.stream()
            .flatMap(origin -> origin.getDirectDependenciesFromSelf().stream())
            .filter(
                dependency -> {
                  String from = packageOf(dependency.getOriginClass());
                  String to = packageOf(dependency.getTargetClass());
                  return !to.isEmpty() && !to.equals(from) && !ARROWS.get(from).contains(to);
                })
            .map(dependency -> dependency.getDescription())
            .collect(toCollection(TreeSet::new));

    assertEquals(Set.of(), upward);
  }

  @Test
  void every_package_has_its_place() {
    Set<String> found = classes.stream().map(ArchitectureTest::packageOf).collect(toSet());

    assertEquals(ARROWS.keySet(), found);
  }

  @Test
  void records_messages_and_votes_know_no_akka() {
    Set<String> found =
        classes.stream()
            .filter(it -> WITHOUT_AKKA.contains(packageOf(it)))
            .flatMap(Impurity.AKKA::in)
            .collect(toCollection(TreeSet::new));

    assertEquals(Set.of(), found);
  }

  @Test
  void cores_are_functions_of_their_inputs() {
    Set<String> found =
        cores()
            .filter(it -> !EXEMPT.containsKey(nameOf(it)))
            .flatMap(ArchitectureTest::impuritiesOf)
            .collect(toCollection(TreeSet::new));

    assertEquals(Set.of(), found);
  }

  @Test
  void cores_do_not_know_the_actors_around_them() {
    Set<String> actors =
        EXEMPT.keySet().stream()
            .filter(name -> EXEMPT.get(name).endsWith("'s actor"))
            .collect(toSet());

    Set<String> found =
        cores()
            .filter(it -> !EXEMPT.containsKey(nameOf(it)))
            .flatMap(it -> it.getDirectDependenciesFromSelf().stream())
            .filter(it -> actors.contains(nameOf(it.getTargetClass())))
            .map(it -> it.getDescription())
            .collect(toCollection(TreeSet::new));

    assertEquals(Set.of(), found);
  }

  @Test
  void exemptions_are_still_needed() {
    Set<String> needed =
        cores()
            .filter(it -> impuritiesOf(it).findAny().isPresent())
            .map(ArchitectureTest::nameOf)
            .collect(toSet());
    Set<String> stale = new TreeSet<>(EXEMPT.keySet());
    stale.removeAll(needed);

    assertEquals(Set.of(), stale);
  }

  @Test
  void a_use_of_the_clock_of_threads_and_of_chance_is_found() {
    JavaClass shell = classes.get(ROOT + "controller.ControllerReplica");

    assertTrue(Impurity.AKKA.in(shell).findAny().isPresent());
    assertTrue(Impurity.CLOCK.in(shell).findAny().isPresent());
    assertTrue(Impurity.CHANCE.in(shell).findAny().isPresent());
    assertTrue(Impurity.THREADS.in(classes.get(ROOT + "replica.LogAccess")).findAny().isPresent());
    assertTrue(Impurity.FILES.in(classes.get(ROOT + "journal.Segment")).findAny().isPresent());
  }

  private static Stream<JavaClass> cores() {
    return classes.stream().filter(it -> PURE.contains(packageOf(it)));
  }

  private static Stream<String> impuritiesOf(JavaClass origin) {
    return Stream.of(Impurity.values()).flatMap(impurity -> impurity.in(origin));
  }

  /** Below the root, empty for what is not ours. */
  private static String packageOf(JavaClass type) {
    String name = type.getBaseComponentType().getPackageName();
    return name.startsWith(ROOT) ? name.substring(ROOT.length()) : "";
  }

  /** Below the root, of the outermost class. */
  private static String nameOf(JavaClass type) {
    String name = type.getBaseComponentType().getName();
    String outermost = name.indexOf('$') < 0 ? name : name.substring(0, name.indexOf('$'));
    return outermost.startsWith(ROOT) ? outermost.substring(ROOT.length()) : "";
  }
}
