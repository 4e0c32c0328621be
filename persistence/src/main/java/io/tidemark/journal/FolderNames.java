package io.tidemark.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Persistence ids as folder names that are safe on every file system, also on those that ignore
 * case: everything but {@code [a-z0-9_~.-]} is percent-encoded in lower-case hex, and so is a
 * leading dot. Names above 200 bytes become {@code =} and the id's SHA-256; such a folder holds its
 * id in a file.
 */
final class FolderNames {
  private static final int LONGEST = 200;
  private static final String ID_FILE = "id";

  private FolderNames() {}

  static String encode(String persistenceId) {
    if (persistenceId.isEmpty()) {
      throw new IllegalArgumentException("A persistence id must not be empty");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(persistenceId)) {
      // Its bytes would have a question mark in that place, as those of another id may.
      throw new IllegalArgumentException(
          "A persistence id must be valid Unicode; this one has half of a surrogate pair: "
              + persistenceId.codePoints().limit(50).mapToObj(Integer::toHexString).toList());
    }
    byte[] utf8 = persistenceId.getBytes(StandardCharsets.UTF_8);
    StringBuilder name = new StringBuilder(utf8.length + 8);
    for (int i = 0; i < utf8.length; i++) {
      char c = (char) (utf8[i] & 0xff);
      if (isPlain(c) && !(c == '.' && i == 0)) {
        name.append(c);
      } else {
        name.append('%').append(HexFormat.of().toHexDigits(utf8[i]));
      }
    }
    return name.length() <= LONGEST ? name.toString() : "=" + sha256(utf8);
  }

  private static boolean isPlain(char c) {
    return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || "-_.~".indexOf(c) >= 0;
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** Creates the id's folder under the parent, with the file that its name may need. */
  static void create(Path folder, String persistenceId) throws IOException {
    DurableFiles.createDirectory(folder);
    if (folder.getFileName().toString().startsWith("=")
        && !DurableFiles.exists(folder.resolve(ID_FILE))) {
      DurableFiles.replace(
          folder.resolve(ID_FILE), ByteBuffer.wrap(persistenceId.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** The persistence ids that have a folder under the parent; empty when it does not exist. */
  static List<String> list(Path parent) throws IOException {
    List<String> ids = new ArrayList<>();
    for (Path folder : DurableFiles.list(parent)) {
      idOf(folder).ifPresent(ids::add);
    }
    return ids;
  }

  /** The id that the folder is for; empty when it is none of ours, or its making was cut short. */
  private static Optional<String> idOf(Path folder) throws IOException {
    String name = folder.getFileName().toString();
    String id;
    if (!name.startsWith("=")) {
      id = decode(name);
    } else if (DurableFiles.exists(folder.resolve(ID_FILE))) {
      byte[] utf8 = Files.readAllBytes(folder.resolve(ID_FILE));
      id = new String(utf8, StandardCharsets.UTF_8);
    } else {
      return Optional.empty();
    }
    return !id.isEmpty() && encode(id).equals(name) ? Optional.of(id) : Optional.empty();
  }

  private static String decode(String name) {
    byte[] utf8 = new byte[name.length()];
    int length = 0;
    for (int i = 0; i < name.length(); i++) {
      if (name.startsWith("%", i) && isHex(name, i + 1) && isHex(name, i + 2)) {
        utf8[length++] = (byte) HexFormat.fromHexDigits(name, i + 1, i + 3);
        i += 2;
      } else {
        utf8[length++] = (byte) name.charAt(i);
      }
    }
    return new String(utf8, 0, length, StandardCharsets.UTF_8);
  }

  private static boolean isHex(String name, int at) {
    return at < name.length() && HexFormat.isHexDigit(name.charAt(at));
  }
}
