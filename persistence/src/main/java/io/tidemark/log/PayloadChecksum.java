package io.tidemark.log;

import java.nio.ByteBuffer;

/**
 * A serializer that can tell the checksum of a large payload without reading all of it again, since
 * parts of it have been summed before. What went wrong with them in memory since then shows when
 * the entry is read, as if the disk had done it.
 */
public interface PayloadChecksum {
  /**
   * @param event what was serialized
   * @param bytes holds its payload
   * @return the CRC32C of the payload's bytes
   */
  int checksum(Object event, ByteBuffer bytes, int from, int to);
}
