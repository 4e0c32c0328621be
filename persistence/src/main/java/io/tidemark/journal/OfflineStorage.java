package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * A storage directory that is only looked at: nothing in it is created, changed or locked, so it
 * may be a copy, or be in use.
 */
public final class OfflineStorage {
  /** Whether somebody may change the directory meanwhile. */
  public enum Use {
    /** The last user has closed it. */
    CLOSED,
    /** Some process holds its lock. */
    IN_USE,
    /** Nobody is seen to hold its lock, and the last user has not closed it. */
    NOT_CLOSED
  }

  /** Takes the entries of a log, in order. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param position bytes from the start of the segment file to the entry
     */
    void entry(StoredEntry entry, Path file, long position) throws IOException;
  }

  /** The kernel's locks, one a line; the sixth word is device:device:inode of the file. */
  private static final Path LOCKS = Path.of("/proc/locks");

  /** In a directory in use, what is missed at one look is there at the next. */
  private static final int LOOKS = 4;

  /** How many segments may be deleted while a log is read. */
  private static final int VANISHED = 1_000;

  private final Path path;
  private final DirectoryIdentity identity;
  private final SnapshotFiles snapshots;

  /** Null until it is needed. */
  private PendingRedo redo;

  private OfflineStorage(Path path, DirectoryIdentity identity) {
    this.path = path;
    this.identity = identity;
    this.snapshots = new SnapshotFiles(path.resolve(StorageDirectory.SNAPSHOTS));
  }

  /** Whether the path is a directory that a node has stored something in. */
  public static boolean isOne(Path path) {
    return Files.exists(path.resolve(DirectoryIdentity.META));
  }

  /**
   * @throws StorageException when this is no storage directory, or one of a newer version
   * @throws IOException when it cannot be read
   */
  public static OfflineStorage open(Path path) throws IOException {
    if (!isOne(path)) {
      throw new StorageException(
          path + ": not a storage directory, it has no " + DirectoryIdentity.META);
    }
    return new OfflineStorage(path, DirectoryIdentity.read(path));
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** Whose directory it is. */
  public DirectoryIdentity identity() {
    return identity;
  }

  /** As of now. */
  public Use use() throws IOException {
    Path lock = path.resolve(StorageDirectory.LOCK);
    if (Files.exists(lock) && isLocked(lock)) {
      return Use.IN_USE;
    }
    boolean closed =
        Files.exists(path.resolve(StorageDirectory.CLEAN_MARKER)) || !Files.exists(lock);
    return closed ? Use.CLOSED : Use.NOT_CLOSED;
  }

  /** By inode alone: the numbers of a device may differ between the kernel's lists. */
  private static boolean isLocked(Path file) throws IOException {
    if (!Files.isReadable(LOCKS)) {
      return false;
    }
    String inode = ":" + Files.getAttribute(file, "unix:ino");
    return Files.readAllLines(LOCKS).stream()
        .map(line -> line.trim().split("\\s+"))
        .anyMatch(words -> words.length > 5 && words[5].endsWith(inode));
  }

  /** The persistence ids that have a log or a snapshot, in order. */
  public List<String> persistenceIds() throws IOException {
    TreeSet<String> ids = new TreeSet<>(FolderNames.list(path.resolve(StorageDirectory.JOURNAL)));
    ids.addAll(FolderNames.list(path.resolve(StorageDirectory.SNAPSHOTS)));
    return List.copyOf(ids);
  }

  /** Folders with segments or snapshots whose persistence id is not known any more. */
  public List<Path> namelessFolders() throws IOException {
    List<Path> nameless = new ArrayList<>();
    for (String part : List.of(StorageDirectory.JOURNAL, StorageDirectory.SNAPSHOTS)) {
      if (Files.isDirectory(path.resolve(part))) {
        Set<String> known = new HashSet<>();
        FolderNames.list(path.resolve(part)).forEach(id -> known.add(FolderNames.encode(id)));
        try (Stream<Path> folders = Files.list(path.resolve(part))) {
          folders
              .filter(folder -> !known.contains(folder.getFileName().toString()))
              .filter(OfflineStorage::holdsData)
              .forEach(nameless::add);
        }
      }
    }
    return nameless;
  }

  private static boolean holdsData(Path folder) {
    String[] names = folder.toFile().list();
    return names != null
        && Stream.of(names).anyMatch(it -> it.endsWith(Segment.SUFFIX) || it.endsWith(".snap"));
  }

  /** Bytes of the id's segment files: what {@link #check} reads. */
  public long bytes(String persistenceId) throws IOException {
    Path folder = journalFolder(persistenceId);
    long bytes = 0;
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : (Iterable<Path>) files.filter(OfflineLog::isSegment)::iterator) {
          bytes += sizeOf(file);
        }
      }
    }
    return bytes;
  }

  /** 0 when it was deleted meanwhile. */
  private static long sizeOf(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException deletedMeanwhile) {
      return 0;
    }
  }

  private Path journalFolder(String persistenceId) {
    return path.resolve(StorageDirectory.JOURNAL).resolve(FolderNames.encode(persistenceId));
  }

  /**
   * Reads all files of the id's log and checks them.
   *
   * @param visitor gets the entries up to the end or to the first damage
   * @param progress told now and then how many bytes of the segments were read since it was told
   *     last
   */
  public LogCheck check(String persistenceId, Visitor visitor, LongConsumer progress)
      throws IOException {
    // While the directory is in use, the segments' files show all that was written.
    PendingRedo pending = use() == Use.IN_USE ? PendingRedo.NONE : redo();
    OfflineLog log = new OfflineLog(journalFolder(persistenceId), pending, visitor, progress);
    int looks = 0;
    int vanished = 0;
    while (true) {
      try {
        LogCheck found = log.check();
        boolean inUse = use() == Use.IN_USE;
        if (found.damage().isEmpty() || ++looks == LOOKS || !inUse) {
          return inUse ? found.withoutUnfinished() : found;
        }
      } catch (NoSuchFileException e) {
        // A segment was deleted while it was read; what is not deleted comes behind it.
        if (++vanished == VANISHED) {
          throw e;
        }
      }
    }
  }

  private PendingRedo redo() throws IOException {
    if (redo == null) {
      redo = PendingRedo.of(path.resolve(StorageDirectory.AHEAD));
    }
    return redo;
  }

  /**
   * The write-ahead files that have lost what had been forced, and at which position. After the
   * death of a process alone the segments have it all; after a power loss no node starts with them.
   */
  public Map<Path, Long> damagedWriteAhead() throws IOException {
    return use() == Use.IN_USE ? Map.of() : redo().damaged();
  }

  /** Reads all of the id's snapshots, the newest first; damaged ones too. */
  public void snapshots(String persistenceId, Consumer<StoredSnapshot> visitor) throws IOException {
    for (SnapshotFiles.Key key : snapshots.list(persistenceId)) {
      Path file = snapshots.file(persistenceId, key);
      try {
        Optional<SnapshotFiles.Content> content = snapshots.look(persistenceId, key);
        visitor.accept(
            new StoredSnapshot(
                file,
                key.sequenceNr(),
                key.timestamp(),
                Files.size(file),
                content.map(SnapshotFiles.Content::serializerId).orElse(-1),
                content.map(SnapshotFiles.Content::manifest).orElse(""),
                content.map(it -> ByteBuffer.wrap(it.payload())).orElse(null)));
      } catch (NoSuchFileException deletedMeanwhile) {
        continue;
      }
    }
  }
}
