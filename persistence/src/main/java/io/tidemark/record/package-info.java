/**
 * Kafka's record batch v2: the unit in which records are produced, replicated, stored and fetched.
 *
 * <p>Everything here is pure: bytes in, bytes or values out. A batch that cannot be trusted ends in
 * a {@link io.tidemark.record.CorruptRecordException}, whatever is wrong with it.
 */
package io.tidemark.record;
