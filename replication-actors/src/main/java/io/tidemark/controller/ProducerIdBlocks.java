package io.tidemark.controller;

import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.ProducerIdGiven;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.MetadataRecord.ProducerIdsGiven;

/**
 * Gives producer ids, reserved in blocks so that most of them cost no record. A new controller
 * starts a new block: what is left of the old one is never given (KIP-730).
 */
final class ProducerIdBlocks {
  static final int BLOCK = 1_000;

  private long next;
  private long end;

  ProducerIdBlocks(long reserved) {
    next = reserved;
    end = reserved;
  }

  ControllerResponse give(Changes changes) {
    if (next == end) {
      end = next + BLOCK;
      changes.add(new ProducerIdsGiven(end));
    }
    return new ProducerIdGiven(ErrorCode.NONE, next++);
  }
}
