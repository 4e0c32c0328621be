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
import java.util.stream.Stream;

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
    if (folder.getFileName().toString().startsWith("=") && !Files.exists(folder.resolve(ID_FILE))) {
      DurableFiles.replace(
          folder.resolve(ID_FILE), ByteBuffer.wrap(persistenceId.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** The persistence ids that have a folder under the parent; empty when it does not exist. */
  static List<String> list(Path parent) throws IOException {
    List<String> ids = new ArrayList<>();
    if (Files.isDirectory(parent)) {
      try (Stream<Path> folders = Files.list(parent)) {
        for (Path folder : (Iterable<Path>) folders.sorted()::iterator) {
          String name = folder.getFileName().toString();
          if (!name.startsWith("=")) {
            ids.add(decode(name));
          } else if (Files.exists(folder.resolve(ID_FILE))) {
            ids.add(Files.readString(folder.resolve(ID_FILE)));
          }
        }
      }
    }
    return ids;
  }

  private static String decode(String name) {
    byte[] utf8 = new byte[name.length()];
    int length = 0;
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) == '%') {
        utf8[length++] = (byte) HexFormat.fromHexDigits(name, i + 1, i + 3);
        i += 2;
      } else {
        utf8[length++] = (byte) name.charAt(i);
      }
    }
    return new String(utf8, 0, length, StandardCharsets.UTF_8);
  }
}
