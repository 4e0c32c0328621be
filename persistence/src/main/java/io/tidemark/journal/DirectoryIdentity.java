package io.tidemark.journal;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * {@code meta.properties}: whose directory this is, and in which format.
 *
 * @param formatVersion of the directory as a whole
 * @param directoryId random, made with the directory
 * @param brokerId the broker that it belongs to, empty while none has opened it
 * @param clusterId the cluster that its data is of, empty while it has not joined one
 */
public record DirectoryIdentity(
    int formatVersion, UUID directoryId, OptionalInt brokerId, Optional<UUID> clusterId) {
  static final String META = "meta.properties";

  /** The newest layout of a directory that this version reads, and the one that it writes. */
  static final int FORMAT_VERSION = 1;

  private static final String FORMAT = "format.version";
  private static final String DIRECTORY = "directory.id";
  private static final String BROKER = "broker.id";
  private static final String CLUSTER = "cluster.id";
  private static final String CHECKSUM = "checksum";

  /**
   * Reads the identity and checks it, or makes one; records the broker id when it is new.
   *
   * @throws StorageException when the directory belongs to another broker
   */
  static DirectoryIdentity establish(Path directory, OptionalInt brokerId) throws IOException {
    if (!DurableFiles.exists(directory.resolve(META))) {
      UUID random = UUID.randomUUID();
      DirectoryIdentity made =
          new DirectoryIdentity(FORMAT_VERSION, random, brokerId, Optional.empty());
      made.write(directory);
      return made;
    }
    DirectoryIdentity found = read(directory);
    if (brokerId.isEmpty() || brokerId.equals(found.brokerId)) {
      return found;
    }
    if (found.brokerId.isPresent()) {
      throw new StorageException(
          ("Storage directory %s belongs to broker %d, this node is broker %d. Correct"
                  + " tidemark.broker.id or tidemark.storage.directory.")
              .formatted(directory, found.brokerId.getAsInt(), brokerId.getAsInt()));
    }
    DirectoryIdentity owned =
        new DirectoryIdentity(found.formatVersion, found.directoryId, brokerId, found.clusterId);
    owned.write(directory);
    return owned;
  }

  /**
   * The identity with its cluster, recorded now if it was not.
   *
   * @throws StorageException when the directory belongs to another cluster
   */
  DirectoryIdentity withCluster(Path directory, UUID cluster) throws IOException {
    if (clusterId.isPresent()) {
      if (!clusterId.get().equals(cluster)) {
        throw new StorageException(
            ("Storage directory %s belongs to cluster %s, this node joined cluster %s. Give it a"
                    + " directory of its own (tidemark.storage.directory), or the addresses of its"
                    + " own cluster.")
                .formatted(directory, clusterId.get(), cluster));
      }
      return this;
    }
    DirectoryIdentity joined =
        new DirectoryIdentity(formatVersion, directoryId, brokerId, Optional.of(cluster));
    joined.write(directory);
    return joined;
  }

  /**
   * Reads the identity and changes nothing.
   *
   * @throws StorageException when a newer version wrote it, or it is not readable
   */
  static DirectoryIdentity read(Path directory) throws IOException {
    Path file = directory.resolve(META);
    Properties meta = new Properties();
    String text;
    try {
      text = Files.readString(file);
      meta.load(new StringReader(text));
    } catch (IllegalArgumentException | java.nio.charset.CharacterCodingException e) {
      throw unreadable(file, "text in it");
    }
    int version = number(file, meta, FORMAT);
    if (version > FORMAT_VERSION) {
      throw new StorageException(
          ("Storage directory %s has format version %d, this version reads up to %d. Run the"
                  + " version that wrote it, or a later one.")
              .formatted(directory, version, FORMAT_VERSION));
    }
    int end = text.indexOf(CHECKSUM + "=");
    if (end >= 0 && !checksum(text.substring(0, end)).equals(meta.getProperty(CHECKSUM))) {
      throw unreadable(file, CHECKSUM);
    }
    OptionalInt broker =
        meta.getProperty(BROKER) == null
            ? OptionalInt.empty()
            : OptionalInt.of(number(file, meta, BROKER));
    Optional<UUID> cluster =
        meta.getProperty(CLUSTER) == null
            ? Optional.empty()
            : Optional.of(uuid(file, meta, CLUSTER));
    return new DirectoryIdentity(version, uuid(file, meta, DIRECTORY), broker, cluster);
  }

  private void write(Path directory) throws IOException {
    StringBuilder text = new StringBuilder();
    brokerId.ifPresent(id -> text.append(BROKER).append('=').append(id).append('\n'));
    clusterId.ifPresent(id -> text.append(CLUSTER).append('=').append(id).append('\n'));
    text.append(DIRECTORY).append('=').append(directoryId).append('\n');
    text.append(FORMAT).append('=').append(formatVersion).append('\n');
    String checksum = checksum(text.toString());
    text.append(CHECKSUM).append('=').append(checksum).append('\n');
    DurableFiles.replace(
        directory.resolve(META), ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /** Of the lines before it: another directory id would be taken for another disk. */
  private static String checksum(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  private static int number(Path file, Properties meta, String key) {
    try {
      return Integer.parseInt(meta.getProperty(key, "").trim());
    } catch (NumberFormatException e) {
      throw unreadable(file, key);
    }
  }

  private static UUID uuid(Path file, Properties meta, String key) {
    try {
      return UUID.fromString(meta.getProperty(key, "").trim());
    } catch (IllegalArgumentException e) {
      throw unreadable(file, key);
    }
  }

  private static StorageException unreadable(Path file, String key) {
    return new StorageException(
        file + " has no valid " + key + ". Restore the file from a copy of this directory.");
  }
}
