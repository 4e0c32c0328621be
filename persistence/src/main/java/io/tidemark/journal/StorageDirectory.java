package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that everything of one node lives in, held exclusively while it is open.
 *
 * <p>Its identity ({@code meta.properties}) is made once and never changes: a random directory id,
 * and the broker and the cluster that it belongs to as soon as these are known.
 */
public final class StorageDirectory implements AutoCloseable {
  /** How the directory's last use ended, which decides what may have been lost. */
  public enum Start {
    /** Nothing was ever stored here. */
    NEW,
    /** The last user closed the directory: everything written is on disk. */
    CLEAN_SHUTDOWN,
    /** The last user died, but the kernel lived on and with it every completed write. */
    SAME_BOOT,
    /**
     * The machine went down under an earlier user and nobody has called {@link #acceptStart} since:
     * writes that were not forced may be lost.
     */
    UNCLEAN
  }

  private static final Logger LOG = LoggerFactory.getLogger(StorageDirectory.class);
  static final String LOCK = "lock";
  static final String JOURNAL = "journal";
  static final String SNAPSHOTS = "snapshots";
  static final String AHEAD = "ahead";
  static final String CLEAN_MARKER = "clean-shutdown";
  private static final String UNACCEPTED = "unclean start not accepted";
  private static final Path KERNEL_BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /**
   * Directories held in this JVM. POSIX drops a process's lock when any of its descriptors of the
   * file is closed, so a second opener must be turned away before it opens the lock file.
   */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel lockChannel;

  /** Which file the lock is, whatever its name leads to later; null where files have no key. */
  private final Object lockKey;

  private final String bootId;
  private final Start start;
  private DirectoryIdentity identity;
  private boolean open = true;

  private StorageDirectory(
      Path path, FileChannel lockChannel, DirectoryIdentity identity, String bootId, Start start)
      throws IOException {
    this.path = path;
    this.lockChannel = lockChannel;
    this.lockKey = keyOf(path.resolve(LOCK));
    this.identity = identity;
    this.bootId = bootId;
    this.start = start;
  }

  /**
   * Opens the directory, creates it when it is missing and locks it.
   *
   * @param brokerId the node's broker id, recorded at the first open that has one
   * @throws StorageException when another process or ActorSystem holds it, when it belongs to
   *     another broker, when a newer version wrote it, or when it cannot be read or written
   */
  public static StorageDirectory open(Path path, OptionalInt brokerId) {
    return open(path, brokerId, kernelBootId());
  }

  static StorageDirectory open(Path path, OptionalInt brokerId, String bootId) {
    FileChannel channel = null;
    Path held = null;
    try {
      DurableFiles.createDirectory(path);
      Path real = path.toRealPath();
      if (!HELD_HERE.add(real)) {
        throw inUse(path);
      }
      held = real;
      channel = DurableFiles.openOrCreate(path.resolve(LOCK));
      lock(path, channel);
      DirectoryIdentity identity = DirectoryIdentity.establish(path, brokerId);
      Start start = howItEnded(path, bootId, readLockFile(channel));
      writeLockFile(channel, bootId, start == Start.UNCLEAN);
      Files.deleteIfExists(path.resolve(CLEAN_MARKER));
      forceNames(real);
      return new StorageDirectory(real, channel, identity, bootId, start);
    } catch (StorageException e) {
      release(channel, held, e);
      throw e;
    } catch (IOException e) {
      StorageException failure =
          new StorageException(
              "Storage directory " + path + " cannot be opened (tidemark.storage.directory): " + e,
              e);
      release(channel, held, failure);
      throw failure;
    }
  }

  /** A kill may have come between the creation of a folder, or a removal, and its force. */
  private static void forceNames(Path path) throws IOException {
    DurableFiles.forceDirectory(path);
    if (path.getParent() != null && Files.isReadable(path.getParent())) {
      DurableFiles.forceDirectory(path.getParent());
    }
    for (Path folder : List.of(path.resolve(JOURNAL), path.resolve(SNAPSHOTS))) {
      if (DurableFiles.exists(folder)) {
        DurableFiles.forceDirectory(folder);
      }
    }
  }

  private static void lock(Path path, FileChannel channel) throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException otherClassLoader) {
      lock = null;
    }
    if (lock == null) {
      throw inUse(path);
    }
  }

  private static StorageException inUse(Path path) {
    return new StorageException(
        "Storage directory "
            + path
            + " is in use by another process or ActorSystem. Stop that one first, or give this"
            + " node a directory of its own (tidemark.storage.directory).");
  }

  private static Start howItEnded(Path path, String bootId, String lockFile) throws IOException {
    // A second line, also a damaged one, says that what was lost is still lost.
    if (lockFile.contains(UNACCEPTED) || lockFile.contains("\n")) {
      return Start.UNCLEAN;
    }
    if (DurableFiles.exists(path.resolve(CLEAN_MARKER))) {
      return Start.CLEAN_SHUTDOWN;
    }
    if (lockFile.isEmpty()) {
      return DurableFiles.exists(path.resolve(JOURNAL)) ? Start.UNCLEAN : Start.NEW;
    }
    return !bootId.isEmpty() && lockFile.equals(bootId) ? Start.SAME_BOOT : Start.UNCLEAN;
  }

  private static String kernelBootId() {
    try {
      return Files.readString(KERNEL_BOOT_ID).trim();
    } catch (IOException notThisKernel) {
      return "";
    }
  }

  private static String readLockFile(FileChannel channel) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(256);
    DurableFiles.readFully(channel, content, 0);
    return new String(content.array(), 0, content.position(), StandardCharsets.UTF_8).trim();
  }

  /** An unknown boot id is written as a word that equals no boot id, so that it is not NEW. */
  private static void writeLockFile(FileChannel channel, String bootId, boolean unaccepted)
      throws IOException {
    String text = (bootId.isEmpty() ? "unknown" : bootId) + "\n" + (unaccepted ? UNACCEPTED : "");
    DurableFiles.writeFully(channel, utf8(text), 0);
    channel.truncate(text.length());
    channel.force(true);
  }

  private static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void release(FileChannel channel, Path held, Exception reason) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        reason.addSuppressed(e);
      }
    }
    if (held != null) {
      HELD_HERE.remove(held);
    }
  }

  public Path path() {
    return path;
  }

  /** Random, made when the directory was: another id means another disk. */
  public UUID directoryId() {
    return identity().directoryId();
  }

  /** Whose directory this is, as far as it is known by now. */
  public synchronized DirectoryIdentity identity() {
    return identity;
  }

  /**
   * Records the cluster that the node is in, once and for all.
   *
   * @throws StorageException when the directory holds the data of another cluster
   */
  public synchronized void recordCluster(UUID clusterId) throws IOException {
    if (open) {
      identity = identity.withCluster(path, clusterId);
    }
  }

  public Start start() {
    return start;
  }

  private static Object keyOf(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Whether somebody has removed or replaced it: what is written now goes into nameless files. */
  boolean isGone() {
    try {
      return !Objects.equals(lockKey, keyOf(path.resolve(LOCK)));
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      LOG.debug("Storage directory {} cannot be looked at", path, e);
      return false;
    }
  }

  /** Whether every write that had completed before this start is certainly still there. */
  public boolean cleanStart() {
    return start != Start.UNCLEAN;
  }

  /**
   * Says that whoever must know of an unclean start knows. Until then every later start is unclean
   * too, also after an orderly shutdown, since what was lost stays lost.
   */
  public synchronized void acceptStart() throws IOException {
    if (open) {
      writeLockFile(lockChannel, bootId, false);
    }
  }

  Path journal() {
    return path.resolve(JOURNAL);
  }

  /** Where the write-ahead files are. */
  Path ahead() {
    return path.resolve(AHEAD);
  }

  Path snapshots() {
    return path.resolve(SNAPSHOTS);
  }

  /**
   * Records the orderly shutdown and gives the directory free. The caller has forced everything
   * before: the marker says that nothing was lost.
   */
  public synchronized void markCleanAndClose() throws IOException {
    if (open) {
      DurableFiles.replace(path.resolve(CLEAN_MARKER), ByteBuffer.allocate(0));
      close();
    }
  }

  /** Gives the directory free without the claim that everything is on disk. */
  @Override
  public synchronized void close() throws IOException {
    if (open) {
      open = false;
      lockChannel.close();
      HELD_HERE.remove(path);
    }
  }
}
