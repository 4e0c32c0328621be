package io.tidemark.example.projection;

/**
 * What a number of transfers have made of an account. One that is counted twice shows in both.
 *
 * @param transfers how many
 */
public record Balance(long cents, long transfers) {
  Balance plus(Balance other) {
    return new Balance(cents + other.cents, transfers + other.transfers);
  }

  @Override
  public String toString() {
    return cents + " of " + transfers;
  }
}
