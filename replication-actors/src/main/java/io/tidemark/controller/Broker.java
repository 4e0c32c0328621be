package io.tidemark.controller;

import java.util.UUID;

/**
 * A registered broker.
 *
 * @param epoch the offset of its registration: another one for each incarnation (KIP-380)
 * @param incarnation new for each start of the process
 * @param directoryId which data it has
 * @param address {@code host:port} of its actor system
 * @param livenessPort a port that is open while the process lives, 0 for none
 * @param rack empty when none was given
 * @param maxMessageBytes the largest message that its transport takes
 * @param fenced not seen alive: in no ISR, leads nothing
 * @param shuttingDown hands over; takes no leadership until it registers again
 */
public record Broker(
    int id,
    long epoch,
    UUID incarnation,
    UUID directoryId,
    String address,
    int livenessPort,
    String rack,
    int maxMessageBytes,
    boolean fenced,
    boolean shuttingDown) {

  /** Whether it may join an ISR and take a leadership. */
  public boolean eligible() {
    return !fenced && !shuttingDown;
  }

  Broker withFenced(boolean isFenced) {
    return new Broker(
        id,
        epoch,
        incarnation,
        directoryId,
        address,
        livenessPort,
        rack,
        maxMessageBytes,
        isFenced,
        shuttingDown);
  }

  Broker withShuttingDown() {
    return new Broker(
        id,
        epoch,
        incarnation,
        directoryId,
        address,
        livenessPort,
        rack,
        maxMessageBytes,
        fenced,
        true);
  }
}
