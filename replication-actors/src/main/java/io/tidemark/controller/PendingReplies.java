package io.tidemark.controller;

import io.tidemark.controller.ControllerEffect.Reply;
import io.tidemark.protocol.ControllerResponse;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** Answers that wait until what they tell is committed, in the order of what they wait for. */
final class PendingReplies {
  private final int limit;
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  PendingReplies(int limit) {
    this.limit = limit;
  }

  /**
   * @param endOffset the high watermark at which the answer may go
   */
  private record Waiting(long endOffset, Reply reply) {}

  boolean isFull() {
    return waiting.size() >= limit;
  }

  void add(long endOffset, Reply reply) {
    waiting.add(new Waiting(endOffset, reply));
  }

  void release(long highWatermark, List<ControllerEffect> effects) {
    while (!waiting.isEmpty() && waiting.peek().endOffset() <= highWatermark) {
      effects.add(waiting.remove().reply());
    }
  }

  void failAll(ControllerResponse response, List<ControllerEffect> effects) {
    waiting.forEach(w -> effects.add(new Reply(w.reply().token(), response)));
    waiting.clear();
  }
}
