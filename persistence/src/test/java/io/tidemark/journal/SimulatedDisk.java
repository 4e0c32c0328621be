package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * A disk in memory that may lose, at a power loss, whatever was not forced, and that fails when it
 * is told to.
 *
 * <p>Of a file's pages that were written since they were last forced, each is on disk as it was
 * before, as any of the writes left it, or half of it, independent of all others. Of the changes to
 * a directory since it was last forced, each has happened or not.
 */
final class SimulatedDisk {
  static final int PAGE = 4096;

  enum Op {
    LOOK,
    OPEN,
    READ,
    WRITE,
    FORCE,
    CREATE,
    MOVE,
    DELETE,
    FORCE_DIRECTORY
  }

  /** Called before each operation; what it throws, the operation throws, and does nothing. */
  interface Faults {
    void before(Op op, Path path) throws IOException;
  }

  /** A change to a directory; {@code node} is null where a name was taken away. */
  private record Change(String takenAway, String name, Node node) {
    void applyTo(Map<String, Node> entries) {
      if (takenAway != null) {
        entries.remove(takenAway);
      }
      if (name != null) {
        entries.put(name, node);
      }
    }
  }

  /** A file when {@code file} is not null, otherwise a directory. */
  static final class Node {
    private final File file;
    private final Map<String, Node> entries = new TreeMap<>();
    private final Map<String, Node> forced = new TreeMap<>();
    private final List<Change> changes = new ArrayList<>();

    Node(File file) {
      this.file = file;
    }

    File file() {
      return file;
    }

    private void change(String takenAway, String name, Node node) {
      Change change = new Change(takenAway, name, node);
      change.applyTo(entries);
      changes.add(change);
    }

    void force() {
      if (file != null) {
        file.force();
      } else {
        forced.clear();
        forced.putAll(entries);
        changes.clear();
      }
    }

    void forceFailed() {
      if (file != null) {
        file.unwritten.clear();
      }
    }

    private Node afterPowerLoss(IntUnaryOperator choose) {
      if (file != null) {
        return new Node(file.afterPowerLoss(choose));
      }
      Map<String, Node> found = new TreeMap<>(forced);
      for (Change change : changes) {
        if (choose.applyAsInt(2) == 1) {
          change.applyTo(found);
        }
      }
      Node after = new Node(null);
      found.forEach((name, node) -> after.entries.put(name, node.afterPowerLoss(choose)));
      after.force();
      return after;
    }
  }

  static final class File {
    private byte[] content = new byte[0];
    private byte[] forced = new byte[0];

    /** By page: what it was after each write since it was last on disk. */
    private final Map<Integer, List<byte[]>> versions = new TreeMap<>();

    /** Pages that the next force brings to disk; a force that fails forgets them. */
    private final Set<Integer> unwritten = new HashSet<>();

    long size() {
      return content.length;
    }

    int read(ByteBuffer into, long at) {
      if (at >= content.length) {
        return -1;
      }
      int length = (int) Math.min(into.remaining(), content.length - at);
      into.put(content, (int) at, length);
      return length;
    }

    private void write(ByteBuffer bytes, long at) {
      int end = (int) at + bytes.remaining();
      content = end > content.length ? Arrays.copyOf(content, end) : content;
      bytes.get(content, (int) at, bytes.remaining());
      for (int page = (int) at / PAGE; page * PAGE < end; page++) {
        versions.computeIfAbsent(page, it -> new ArrayList<>()).add(page(content, page));
        unwritten.add(page);
      }
    }

    void truncate(long size) {
      if (size < content.length) {
        content = Arrays.copyOf(content, (int) size);
        versions.keySet().removeIf(it -> (long) it * PAGE >= size);
      }
    }

    private static byte[] page(byte[] of, int page) {
      byte[] bytes = new byte[PAGE];
      int from = page * PAGE;
      if (from < of.length) {
        System.arraycopy(of, from, bytes, 0, Math.min(PAGE, of.length - from));
      }
      return bytes;
    }

    private void force() {
      byte[] next = Arrays.copyOf(forced, content.length);
      for (int page : unwritten) {
        if (page * PAGE < content.length) {
          int length = Math.min(PAGE, content.length - page * PAGE);
          System.arraycopy(content, page * PAGE, next, page * PAGE, length);
        }
        versions.remove(page);
      }
      unwritten.clear();
      forced = next;
    }

    private File afterPowerLoss(IntUnaryOperator choose) {
      File after = new File();
      int size = forced.length;
      if (content.length != size && choose.applyAsInt(2) == 1) {
        size = content.length;
      }
      byte[] left = Arrays.copyOf(forced, size);
      versions.forEach(
          (page, written) -> {
            int length = Math.min(PAGE, left.length - page * PAGE);
            if (length > 0) {
              byte[] chosen = choosePage(page(forced, page), written, choose);
              System.arraycopy(chosen, 0, left, page * PAGE, length);
            }
          });
      after.content = left;
      after.forced = left.clone();
      return after;
    }

    private static byte[] choosePage(byte[] old, List<byte[]> written, IntUnaryOperator choose) {
      int chosen = choose.applyAsInt(written.size() + 3);
      if (chosen == 0) {
        return old;
      }
      if (chosen <= written.size()) {
        return written.get(chosen - 1);
      }
      byte[] last = written.get(written.size() - 1);
      byte[] half = chosen == written.size() + 1 ? last.clone() : old.clone();
      byte[] other = chosen == written.size() + 1 ? old : last;
      System.arraycopy(other, 0, half, 0, PAGE / 2);
      return half;
    }
  }

  private final SimulatedFileSystem fileSystem = new SimulatedFileSystem(this);
  private final Node root;
  private volatile Faults faults = (op, path) -> {};
  private volatile long free = Long.MAX_VALUE;

  SimulatedDisk() {
    this(new Node(null));
  }

  private SimulatedDisk(Node root) {
    this.root = root;
  }

  Path path(String text) {
    return fileSystem.getPath(text);
  }

  void faults(Faults next) {
    faults = next;
  }

  /** Nothing fails any more, and there is room. */
  void well() {
    faults = (op, path) -> {};
    free = Long.MAX_VALUE;
  }

  /** How many more bytes files can grow by. */
  void free(long bytes) {
    free = bytes;
  }

  /**
   * What is on disk after a power loss.
   *
   * @param choose picks one of as many possibilities, from 0 on; 0 is always what was forced
   */
  synchronized SimulatedDisk afterPowerLoss(IntUnaryOperator choose) {
    return new SimulatedDisk(root.afterPowerLoss(choose));
  }

  /** The same files, all on disk. */
  synchronized SimulatedDisk copy() {
    return new SimulatedDisk(copy(root));
  }

  private static Node copy(Node node) {
    Node copied = new Node(node.file == null ? null : new File());
    if (node.file != null) {
      copied.file.content = node.file.content.clone();
      copied.file.forced = copied.file.content.clone();
    }
    node.entries.forEach((name, child) -> copied.entries.put(name, copy(child)));
    copied.force();
    return copied;
  }

  /** All files and their content, which may be changed through the map's values. */
  synchronized Map<String, byte[]> files() {
    Map<String, byte[]> files = new TreeMap<>();
    collect("", root, files);
    return files;
  }

  private static void collect(String path, Node node, Map<String, byte[]> files) {
    if (node.file != null) {
      files.put(path, node.file.content);
    }
    node.entries.forEach((name, child) -> collect(path + "/" + name, child, files));
  }

  void before(Op op, Path path) throws IOException {
    faults.before(op, path);
  }

  synchronized Node node(Op op, Path path) throws IOException {
    before(op, path);
    return existing(path);
  }

  private Node existing(Path path) throws IOException {
    Node at = root;
    for (String name : ((SimulatedPath) path).names()) {
      at = at.entries.get(name);
      if (at == null) {
        throw new NoSuchFileException(path.toString());
      }
    }
    return at;
  }

  synchronized Node open(Path path, boolean create, boolean createNew) throws IOException {
    if (path.getFileName() == null) {
      return root;
    }
    Node folder = existing(path.getParent());
    String name = path.getFileName().toString();
    Node found = folder.entries.get(name);
    if (found != null && createNew) {
      throw new FileAlreadyExistsException(path.toString());
    }
    if (found == null && !create && !createNew) {
      throw new NoSuchFileException(path.toString());
    }
    before(found == null ? Op.CREATE : Op.OPEN, path);
    if (found == null) {
      found = new Node(new File());
      folder.change(null, name, found);
    }
    return found;
  }

  synchronized int write(File file, ByteBuffer bytes, long at) throws IOException {
    long growth = Math.max(0, at + bytes.remaining() - file.size());
    if (growth > free) {
      throw new IOException("No space left on device");
    }
    free -= growth;
    int length = bytes.remaining();
    file.write(bytes, at);
    return length;
  }

  synchronized void createDirectory(Path path) throws IOException {
    before(Op.CREATE, path);
    Node parent = existing(path.getParent());
    String name = path.getFileName().toString();
    if (parent.entries.containsKey(name)) {
      throw new FileAlreadyExistsException(path.toString());
    }
    parent.change(null, name, new Node(null));
  }

  synchronized List<String> list(Path path) throws IOException {
    before(Op.READ, path);
    return List.copyOf(existing(path).entries.keySet());
  }

  synchronized void delete(Path path) throws IOException {
    Node node = existing(path);
    if (!node.entries.isEmpty()) {
      throw new DirectoryNotEmptyException(path.toString());
    }
    before(Op.DELETE, path);
    existing(path.getParent()).change(path.getFileName().toString(), null, null);
  }

  /** Within a directory. */
  synchronized void move(Path from, Path to) throws IOException {
    Node node = existing(from);
    before(Op.MOVE, from);
    existing(from.getParent())
        .change(from.getFileName().toString(), to.getFileName().toString(), node);
  }
}
