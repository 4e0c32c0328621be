package io.tidemark.simulation;

/** An invariant does not hold. */
final class Violation extends RuntimeException {
  private final String invariant;

  /**
   * @param invariant which one, as the protocol numbers them, or a word
   */
  Violation(String invariant, String message) {
    super(message);
    this.invariant = invariant;
  }

  Violation(String invariant, String message, Throwable cause) {
    super(message, cause);
    this.invariant = invariant;
  }

  String invariant() {
    return invariant;
  }
}
