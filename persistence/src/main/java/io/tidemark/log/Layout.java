package io.tidemark.log;

/**
 * Where in the journal a log's batches are, how large they are and how old. Immutable.
 *
 * @param endPosition bytes of live batches from the log's first ever to its end; a cut takes back
 *     what it can tell, so that it may be an index interval too high for each cut
 * @param maxTimestamp no record behind the index' last point is newer
 */
record Layout(OffsetIndex index, Cuts cuts, long endPosition, long maxTimestamp) {
  static final Layout EMPTY = new Layout(OffsetIndex.EMPTY, Cuts.NONE, 0, OffsetIndex.NO_TIMESTAMP);

  /** One index point for so many bytes of batches. */
  static final long INDEX_INTERVAL_BYTES = 1 << 20;

  Layout append(long baseOffset, long sequenceNr, int bytes, long timestamp) {
    boolean due =
        index.isEmpty()
            || endPosition - index.last().position() >= INDEX_INTERVAL_BYTES
            // A read must find the first event behind a cut without walking through dead ones.
            || isFirstBehindCut(sequenceNr);
    return due
        ? new Layout(
            index.add(baseOffset, sequenceNr, endPosition, maxTimestamp),
            cuts,
            endPosition + bytes,
            timestamp)
        : new Layout(index, cuts, endPosition + bytes, Math.max(maxTimestamp, timestamp));
  }

  private boolean isFirstBehindCut(long sequenceNr) {
    if (cuts.list().isEmpty()) {
      return false;
    }
    long lastCut = cuts.list().get(cuts.list().size() - 1).firstLiveSequenceNr();
    return index.last().sequenceNr() < lastCut && lastCut <= sequenceNr;
  }

  Layout truncateFromEnd(long endOffset, long sequenceNr) {
    OffsetIndex kept = index.truncateFromEnd(endOffset);
    Cuts cut = cuts.add(endOffset, sequenceNr);
    if (kept.size() == index.size()) {
      return new Layout(kept, cut, endPosition, maxTimestamp);
    }
    long newest = kept.isEmpty() ? OffsetIndex.NO_TIMESTAMP : kept.last().maxTimestamp();
    return new Layout(kept, cut, index.point(kept.size()).position(), newest);
  }

  Layout truncateFromStart(long startOffset) {
    return new Layout(
        index.truncateFromStart(startOffset),
        cuts.truncateFromStart(startOffset),
        endPosition,
        maxTimestamp);
  }

  /** Everything is gone, but positions go on. */
  Layout restart(long sequenceNr) {
    return new Layout(
        OffsetIndex.EMPTY,
        Cuts.NONE.add(Long.MIN_VALUE, sequenceNr),
        endPosition,
        OffsetIndex.NO_TIMESTAMP);
  }

  /** Bytes before the first batch that is still needed. */
  long firstPosition() {
    return index.isEmpty() ? endPosition : index.point(0).position();
  }

  private long newestOf(int span) {
    return span + 1 == index.size() ? maxTimestamp : index.point(span).maxTimestamp();
  }

  /**
   * How many spans at the start may go.
   *
   * @param retentionBytes what has to stay, −1 for everything
   * @param oldestTimestamp records as new as this stay too
   */
  int expiredSpans(long retentionBytes, long oldestTimestamp) {
    int expired = 0;
    while (expired < index.size()) {
      boolean isLast = expired + 1 == index.size();
      long behind = isLast ? endPosition : index.point(expired + 1).position();
      boolean tooMuch = retentionBytes >= 0 && endPosition - behind >= retentionBytes;
      if (!tooMuch && newestOf(expired) >= oldestTimestamp) {
        break;
      }
      expired++;
    }
    return expired;
  }

  /** From where to read to find the first record as new as the timestamp; −1 when none is. */
  long sequenceNrForTimestamp(long timestamp) {
    for (int i = 0; i < index.size(); i++) {
      if (newestOf(i) >= timestamp) {
        return index.point(i).sequenceNr();
      }
    }
    return -1;
  }
}
