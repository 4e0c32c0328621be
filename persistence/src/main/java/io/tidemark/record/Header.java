package io.tidemark.record;

import java.nio.ByteBuffer;

/**
 * An application's annotation of a record. Keys may repeat.
 *
 * @param key never null
 * @param value null when absent, which is not the same as empty
 */
public record Header(String key, ByteBuffer value) {}
