package io.tidemark.replica;

/**
 * What replicas that are out of sync may take from a node's bandwidth (KIP-73), so that catching up
 * leaves enough for those in sync and for clients. One for all replicas of a node.
 *
 * @param toFollowers what its leaders send
 * @param fromLeaders what its followers receive
 */
public record Throttle(TokenBucket toFollowers, TokenBucket fromLeaders) {

  /**
   * @param bytesPerSecond each way; 0 for no limit
   */
  public static Throttle at(long bytesPerSecond) {
    return new Throttle(new TokenBucket(bytesPerSecond), new TokenBucket(bytesPerSecond));
  }
}
