package io.tidemark.record;

/** Sizes text without encoding it. */
final class Utf8 {
  private Utf8() {}

  /** Exactly what {@code getBytes(UTF_8)} gives, where a lone surrogate becomes one '?'. */
  static int length(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes += 1;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else {
        bytes += 1;
      }
    }
    return bytes;
  }
}
