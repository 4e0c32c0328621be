package io.tidemark.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lines of a file as bytes: split at {@code \n}, nothing trimmed, any bytes. */
final class Lines implements AutoCloseable {
  private static final int BUFFER = 1 << 20;

  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[BUFFER];
  private int at;
  private int end;
  private long length;

  /**
   * @param maxBytes of a longer line only the length is kept
   */
  Lines(Path file, int maxBytes) throws IOException {
    this.in = new BufferedInputStream(Files.newInputStream(file), 1);
    this.maxBytes = maxBytes;
  }

  /** The next line, cut to one byte more than allowed; null behind the last one. */
  byte[] next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    length = 0;
    boolean any = false;
    while (at < end || fill()) {
      any = true;
      int from = at;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      int found = at - from;
      length += found;
      int room = maxBytes + 1 - line.size();
      line.write(buffer, from, Math.min(found, room));
      if (at < end) {
        at++;
        return line.toByteArray();
      }
    }
    return any ? line.toByteArray() : null;
  }

  /** The whole length of the line that came last, in bytes. */
  long length() {
    return length;
  }

  private boolean fill() throws IOException {
    at = 0;
    end = Math.max(0, in.read(buffer));
    return end > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
