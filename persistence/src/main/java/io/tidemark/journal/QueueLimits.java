package io.tidemark.journal;

import java.time.Duration;

/**
 * What may wait in front of a lane.
 *
 * @param entries atomic writes that are queued
 * @param bytes bytes that are queued; a single larger write is let in alone
 * @param maxWait how long a write that finds the queue full is held before it fails
 */
record QueueLimits(int entries, long bytes, Duration maxWait) {}
