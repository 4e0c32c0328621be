package io.tidemark.journal;

import java.nio.ByteBuffer;

/**
 * An atomic write that is in its segment, in the page cache.
 *
 * @param position where in the segment its entries begin
 * @param bytes the sealed entries; the buffer is used again when its group is committed
 * @param lastSequenceNr the last entry's sequence number
 */
record Placed(
    SegmentLog log, Segment segment, long position, ByteBuffer bytes, long lastSequenceNr) {}
