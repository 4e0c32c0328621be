package io.tidemark.journal;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A path on a {@link SimulatedDisk}: absolute, or the name of a file. */
record SimulatedPath(SimulatedFileSystem fileSystem, String text) implements Path {
  List<String> names() {
    List<String> names = new ArrayList<>(Arrays.asList(text.split("/")));
    names.removeIf(String::isEmpty);
    return names;
  }

  private SimulatedPath with(String other) {
    return new SimulatedPath(fileSystem, other);
  }

  @Override
  public FileSystem getFileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return text.startsWith("/");
  }

  @Override
  public Path getRoot() {
    return isAbsolute() ? with("/") : null;
  }

  @Override
  public Path getFileName() {
    List<String> names = names();
    return names.isEmpty() ? null : with(names.get(names.size() - 1));
  }

  @Override
  public Path getParent() {
    int slash = text.lastIndexOf('/');
    return slash < 0 || text.equals("/") ? null : with(slash == 0 ? "/" : text.substring(0, slash));
  }

  @Override
  public int getNameCount() {
    return names().size();
  }

  @Override
  public Path getName(int index) {
    return with(names().get(index));
  }

  @Override
  public Path subpath(int from, int to) {
    return with(String.join("/", names().subList(from, to)));
  }

  @Override
  public boolean startsWith(Path other) {
    return (text + "/").startsWith(other + "/");
  }

  @Override
  public boolean endsWith(Path other) {
    return ("/" + text).endsWith("/" + other);
  }

  @Override
  public Path normalize() {
    return this;
  }

  @Override
  public Path resolve(Path other) {
    if (other.isAbsolute()) {
      return other;
    }
    return with(text.endsWith("/") ? text + other : text + "/" + other);
  }

  @Override
  public Path relativize(Path other) {
    throw new UnsupportedOperationException();
  }

  @Override
  public URI toUri() {
    return URI.create("simulated:" + text);
  }

  @Override
  public Path toAbsolutePath() {
    return this;
  }

  @Override
  public Path toRealPath(LinkOption... options) {
    return this;
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compareTo(Path other) {
    return text.compareTo(other.toString());
  }

  @Override
  public String toString() {
    return text;
  }
}
