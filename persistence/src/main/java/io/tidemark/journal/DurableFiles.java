package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** File operations that survive a power loss once they have returned; private to their owner. */
final class DurableFiles {
  private DurableFiles() {}

  private static FileAttribute<?>[] permissions(Path path, String posix) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(posix))
        }
        : new FileAttribute<?>[0];
  }

  /** Creates the directory and its missing parents with mode 0700 and forces their entries. */
  static void createDirectory(Path directory) throws IOException {
    if (exists(directory)) {
      return;
    }
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      createDirectory(parent);
    }
    try {
      Files.createDirectory(directory, permissions(directory, "rwx------"));
    } catch (FileAlreadyExistsException e) {
      // Another thread was faster.
      return;
    }
    if (parent != null) {
      try {
        forceDirectory(parent);
      } catch (IOException e) {
        // Otherwise the next call would find it, and nobody would force its entry.
        Files.delete(directory);
        throw e;
      }
    }
  }

  /** Unlike {@link Files#exists}: what a disk does not tell is not taken for missing. */
  static boolean exists(Path file) throws IOException {
    try {
      Files.readAttributes(file, BasicFileAttributes.class);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** What is in the directory, sorted; nothing when there is no such directory. */
  static List<Path> list(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      files.forEach(found::add);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Collections.sort(found);
    return found;
  }

  /** Opens for reading and writing; creates the file with mode 0600 when it is not there. */
  static FileChannel openOrCreate(Path file) throws IOException {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    return FileChannel.open(file, options, permissions(file, "rw-------"));
  }

  /** Replaces the file's content in one step: after a crash it has the old content or the new. */
  static void replace(Path file, ByteBuffer content) throws IOException {
    Path next = next(file);
    try (FileChannel channel = openOrCreate(next)) {
      channel.truncate(0);
      writeFully(channel, content, 0);
      channel.force(true);
    }
    moveIntoPlace(next, file);
  }

  /** Where a file's next content is prepared; a leftover one is never read. */
  static Path next(Path file) {
    return file.resolveSibling(file.getFileName() + ".next");
  }

  static void moveIntoPlace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory(to.toAbsolutePath().getParent());
  }

  /** Makes creations, renames and removals of the directory's files durable. */
  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  static void writeFully(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
  }

  /** Fills the buffer from the position; short only at the end of the file. */
  static void readFully(FileChannel channel, ByteBuffer into, long position) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int read = channel.read(into, at);
      if (read < 0) {
        return;
      }
      at += read;
    }
  }
}
