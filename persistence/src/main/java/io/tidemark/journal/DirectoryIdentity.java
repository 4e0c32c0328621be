package io.tidemark.journal;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.UUID;

/** {@code meta.properties}: whose directory this is, and in which format. */
final class DirectoryIdentity {
  private static final String META = "meta.properties";

  /** The newest layout of a directory that this version reads, and the one that it writes. */
  private static final int FORMAT_VERSION = 1;

  private DirectoryIdentity() {}

  /**
   * Reads the identity and checks it, or makes one; records the broker id when it is new.
   *
   * @return the directory id
   */
  static UUID establish(Path path, OptionalInt brokerId) throws IOException {
    Path file = path.resolve(META);
    Properties meta = new Properties();
    boolean changed = !Files.exists(file);
    if (changed) {
      meta.setProperty("format.version", Integer.toString(FORMAT_VERSION));
      meta.setProperty("directory.id", UUID.randomUUID().toString());
    } else {
      meta.load(new StringReader(Files.readString(file)));
    }
    int version = number(file, meta, "format.version");
    if (version > FORMAT_VERSION) {
      throw new StorageException(
          "Storage directory "
              + path
              + " has format version "
              + version
              + ", this version reads up to "
              + FORMAT_VERSION
              + ". Run the version that wrote it, or a later one.");
    }
    if (meta.getProperty("broker.id") != null) {
      int owner = number(file, meta, "broker.id");
      if (brokerId.isPresent() && brokerId.getAsInt() != owner) {
        throw new StorageException(
            "Storage directory "
                + path
                + " belongs to broker "
                + owner
                + ", this node is broker "
                + brokerId.getAsInt()
                + ". Correct tidemark.broker.id or tidemark.storage.directory.");
      }
    } else if (brokerId.isPresent()) {
      meta.setProperty("broker.id", Integer.toString(brokerId.getAsInt()));
      changed = true;
    }
    if (changed) {
      StringBuilder text = new StringBuilder();
      meta.stringPropertyNames().stream()
          .sorted()
          .forEach(key -> text.append(key).append('=').append(meta.getProperty(key)).append('\n'));
      DurableFiles.replace(file, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
    }
    try {
      return UUID.fromString(meta.getProperty("directory.id", ""));
    } catch (IllegalArgumentException e) {
      throw unreadable(file, "directory.id");
    }
  }

  private static int number(Path file, Properties meta, String key) {
    try {
      return Integer.parseInt(meta.getProperty(key, "").trim());
    } catch (NumberFormatException e) {
      throw unreadable(file, key);
    }
  }

  private static StorageException unreadable(Path file, String key) {
    return new StorageException(
        file + " has no valid " + key + ". Restore the file from a copy of this directory.");
  }
}
