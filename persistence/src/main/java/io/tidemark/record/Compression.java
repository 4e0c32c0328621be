package io.tidemark.record;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** How the records of a batch are packed; the header never is. Ids and framing are Kafka's. */
public enum Compression {
  NONE(0) {
    @Override
    void compress(GrowingBytes source, GrowingBytes target) {
      target.write(source.array(), source.start(), source.written());
    }

    @Override
    ByteBuffer decompress(ByteBuffer payload, int maxBytes) {
      return payload;
    }
  },

  GZIP(1) {
    @Override
    void compress(GrowingBytes source, GrowingBytes target) {
      try (GZIPOutputStream gzip = new GZIPOutputStream(target, GZIP_BUFFER_BYTES)) {
        gzip.write(source.array(), source.start(), source.written());
      } catch (IOException e) {
        // Memory does not fail to be written.
        throw new UncheckedIOException(e);
      }
    }

    @Override
    ByteBuffer decompress(ByteBuffer payload, int maxBytes) {
      try (InputStream in = new GZIPInputStream(new BufferInput(payload), GZIP_BUFFER_BYTES)) {
        return readAll(in, payload.remaining(), maxBytes);
      } catch (IOException e) {
        throw unreadable(e);
      }
    }
  },

  ZSTD(4) {
    @Override
    void compress(GrowingBytes source, GrowingBytes target) {
      long bound = Zstd.compressBound(source.written());
      target.reserve((int) Math.min(bound, GrowingBytes.MAX_BYTES));
      long written =
          Zstd.compressByteArray(
              target.array(),
              target.size(),
              target.array().length - target.size(),
              source.array(),
              source.start(),
              source.written(),
              Zstd.defaultCompressionLevel());
      if (Zstd.isError(written)) {
        throw new IllegalStateException("zstd: " + Zstd.getErrorName(written));
      }
      target.advance((int) written);
    }

    @Override
    ByteBuffer decompress(ByteBuffer payload, int maxBytes) {
      // As a stream, because a frame's own word on its size can be absent or a lie.
      try (InputStream in =
          new ZstdInputStreamNoFinalizer(new BufferInput(payload), RecyclingBufferPool.INSTANCE)) {
        return readAll(in, payload.remaining(), maxBytes);
      } catch (IOException e) {
        throw unreadable(e);
      }
    }
  };

  private static final int GZIP_BUFFER_BYTES = 8 * 1024;
  private static final int FIRST_GUESS_RATIO = 4;
  private static final int LEAST_GUESS_BYTES = 512;

  private final int id;

  Compression(int id) {
    this.id = id;
  }

  /** The value of the lowest three attribute bits. */
  public int id() {
    return id;
  }

  /**
   * The compression that a batch's attributes name.
   *
   * @throws CorruptRecordException naming the codec, if it is not supported
   */
  public static Compression of(int attributes) {
    int id = attributes & BatchLayout.COMPRESSION_MASK;
    return switch (id) {
      case 0 -> NONE;
      case 1 -> GZIP;
      case 4 -> ZSTD;
      case 2 -> throw unsupported(id, "snappy");
      case 3 -> throw unsupported(id, "lz4");
      default -> throw unsupported(id, "unknown");
    };
  }

  /** Appends the packed form of everything in the source. */
  abstract void compress(GrowingBytes source, GrowingBytes target);

  /**
   * Unpacks what remains of a payload, whose position is left alone.
   *
   * @param maxBytes what the result may take
   */
  abstract ByteBuffer decompress(ByteBuffer payload, int maxBytes);

  /** Grows with what really arrives, so memory follows the data and never a declared size. */
  private static ByteBuffer readAll(InputStream in, int packedBytes, int maxBytes)
      throws IOException {
    long guess = Math.max((long) packedBytes * FIRST_GUESS_RATIO, LEAST_GUESS_BYTES);
    byte[] bytes = new byte[(int) Math.min(guess, maxBytes)];
    int size = 0;
    while (true) {
      if (size == bytes.length) {
        int beyond = in.read();
        if (beyond < 0) {
          break;
        }
        if (size == maxBytes) {
          throw new CorruptRecordException(
              "%d compressed bytes decompress to more than %d".formatted(packedBytes, maxBytes));
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(bytes.length * 2L, maxBytes));
        bytes[size++] = (byte) beyond;
        continue;
      }
      int read = in.read(bytes, size, bytes.length - size);
      if (read < 0) {
        break;
      }
      size += read;
    }
    return ByteBuffer.wrap(bytes, 0, size).asReadOnlyBuffer();
  }

  CorruptRecordException unreadable(IOException cause) {
    return new CorruptRecordException("not readable as %s: %s".formatted(name(), cause), cause);
  }

  private static CorruptRecordException unsupported(int id, String name) {
    return new CorruptRecordException(
        "compression codec %d (%s) is not supported".formatted(id, name));
  }
}
