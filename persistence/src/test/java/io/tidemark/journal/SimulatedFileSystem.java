package io.tidemark.journal;

import io.tidemark.journal.SimulatedDisk.Node;
import io.tidemark.journal.SimulatedDisk.Op;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A {@link SimulatedDisk} as Java sees it. */
final class SimulatedFileSystem extends FileSystem {
  private final SimulatedDisk disk;
  private final Provider provider = new Provider();

  SimulatedFileSystem(SimulatedDisk disk) {
    this.disk = disk;
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public Path getPath(String first, String... more) {
    return new SimulatedPath(this, more.length == 0 ? first : first + "/" + String.join("/", more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    if (!syntaxAndPattern.startsWith("glob:*")) {
      throw new UnsupportedOperationException(syntaxAndPattern);
    }
    return path -> path.toString().endsWith(syntaxAndPattern.substring("glob:*".length()));
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }

  private final class Provider extends FileSystemProvider {
    @Override
    public FileChannel newFileChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      Node node =
          disk.open(
              path,
              options.contains(StandardOpenOption.CREATE),
              options.contains(StandardOpenOption.CREATE_NEW));
      return new SimulatedChannel(disk, path, node);
    }

    @Override
    public SeekableByteChannel newByteChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      return newFileChannel(path, options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
        Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
      List<Path> found = new ArrayList<>();
      for (String name : disk.list(directory)) {
        if (filter.accept(directory.resolve(name))) {
          found.add(directory.resolve(name));
        }
      }
      return new DirectoryStream<>() {
        @Override
        public Iterator<Path> iterator() {
          return found.iterator();
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
      disk.createDirectory(directory);
    }

    @Override
    public void delete(Path path) throws IOException {
      disk.delete(path);
    }

    @Override
    public void move(Path from, Path to, CopyOption... options) throws IOException {
      disk.move(from, to);
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
      disk.node(Op.LOOK, path);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
        Path path, Class<A> type, LinkOption... options) throws IOException {
      return type.cast(new Attributes(disk.node(Op.LOOK, path)));
    }

    @Override
    public String getScheme() {
      return "simulated";
    }

    @Override
    public boolean isSameFile(Path one, Path other) {
      return one.equals(other);
    }

    @Override
    public boolean isHidden(Path path) {
      return false;
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Path getPath(URI uri) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void copy(Path from, Path to, CopyOption... options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileStore getFileStore(Path path) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
        Path path, Class<V> type, LinkOption... options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
      throw new UnsupportedOperationException();
    }
  }

  private record Attributes(Node node) implements BasicFileAttributes {
    @Override
    public FileTime lastModifiedTime() {
      return FileTime.fromMillis(0);
    }

    @Override
    public FileTime lastAccessTime() {
      return FileTime.fromMillis(0);
    }

    @Override
    public FileTime creationTime() {
      return FileTime.fromMillis(0);
    }

    @Override
    public boolean isRegularFile() {
      return node.file() != null;
    }

    @Override
    public boolean isDirectory() {
      return node.file() == null;
    }

    @Override
    public boolean isSymbolicLink() {
      return false;
    }

    @Override
    public boolean isOther() {
      return false;
    }

    @Override
    public long size() {
      return node.file() == null ? 0 : node.file().size();
    }

    @Override
    public Object fileKey() {
      return null;
    }
  }
}
