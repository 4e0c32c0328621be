package io.tidemark.replica;

/**
 * What replicas that are out of sync may take from a node (KIP-73), so that catching up leaves
 * enough for those in sync and for clients. One for all replicas of a node.
 *
 * @param toFollowers what its leaders send
 * @param fromLeaders what its followers receive
 * @param turns which of its followers that are far behind fetch at the same time
 * @param nearTurns the same for those that lack little
 */
public record Throttle(
    TokenBucket toFollowers, TokenBucket fromLeaders, CatchUpTurns turns, CatchUpTurns nearTurns) {

  /**
   * @param bytesPerSecond each way; 0 for no limit
   */
  public static Throttle at(long bytesPerSecond) {
    return new Throttle(
        new TokenBucket(bytesPerSecond),
        new TokenBucket(bytesPerSecond),
        new CatchUpTurns(CatchUpTurns.AT_ONCE),
        new CatchUpTurns(CatchUpTurns.AT_ONCE));
  }
}
