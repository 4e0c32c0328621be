package io.tidemark.record;

/** Where each field of a batch lies, counted from the batch's first byte. All are big-endian. */
final class BatchLayout {
  static final int BASE_OFFSET = 0;
  static final int LENGTH = 8;
  static final int LEADER_EPOCH = 12;
  static final int MAGIC = 16;
  static final int CRC = 17;
  static final int ATTRIBUTES = 21;
  static final int LAST_OFFSET_DELTA = 23;
  static final int BASE_TIMESTAMP = 27;
  static final int MAX_TIMESTAMP = 35;
  static final int PRODUCER_ID = 43;
  static final int PRODUCER_EPOCH = 51;
  static final int BASE_SEQUENCE = 53;
  static final int RECORD_COUNT = 57;
  static final int RECORDS = 61;

  /** What the length field does not count: the base offset and itself. */
  static final int LENGTH_PREFIX = LEADER_EPOCH;

  static final byte MAGIC_V2 = 2;

  static final int COMPRESSION_MASK = 0x07;
  static final int LOG_APPEND_TIME_BIT = 0x08;
  static final int TRANSACTIONAL_BIT = 0x10;
  static final int CONTROL_BIT = 0x20;

  static final long NO_PRODUCER_ID = -1;
  static final short NO_PRODUCER_EPOCH = -1;
  static final int NO_SEQUENCE = -1;

  /** Length, attributes, timestamp, offset, key, value and headers take a byte each at least. */
  static final int MIN_RECORD_BYTES = 7;

  private BatchLayout() {}
}
