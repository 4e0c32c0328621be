package io.tidemark.journal;

import akka.persistence.query.EventEnvelope;
import akka.persistence.query.Offset;
import akka.stream.Attributes;
import akka.stream.Outlet;
import akka.stream.SourceShape;
import akka.stream.stage.AbstractOutHandler;
import akka.stream.stage.AsyncCallback;
import akka.stream.stage.GraphStage;
import akka.stream.stage.GraphStageLogic;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * The events of one persistence id as a stream. It holds one page of events at a time, which is
 * read when the one before has been taken.
 */
final class EventSource extends GraphStage<SourceShape<EventEnvelope>> {
  private static final int PAGE_EVENTS = 256;
  private static final int PAGE_BYTES = 1 << 20;

  /** A page's events and what follows. */
  private record Page(
      Deque<EventEnvelope> events, long nextSequenceNr, long acknowledged, Throwable failure) {}

  private final Outlet<EventEnvelope> out = Outlet.create("events");
  private final SourceShape<EventEnvelope> shape = SourceShape.of(out);
  private final SegmentLog log;
  private final EventCodec codec;
  private final Executor blocking;
  private final long from;
  private final long to;
  private final boolean live;

  /** Events between two sequence numbers, both included; a live stream waits for those to come. */
  EventSource(
      SegmentLog log, EventCodec codec, Executor blocking, long from, long to, boolean live) {
    this.log = log;
    this.codec = codec;
    this.blocking = blocking;
    this.from = from;
    this.to = to;
    this.live = live;
  }

  @Override
  public SourceShape<EventEnvelope> shape() {
    return shape;
  }

  @Override
  public GraphStageLogic createLogic(Attributes inherited) {
    return new Logic();
  }

  /** Reads a page, on a thread that may block. */
  private Page readPage(long next, long limit) {
    Deque<EventEnvelope> events = new ArrayDeque<>();
    long[] bytes = {0};
    long[] following = {next};
    try {
      long acknowledged = log.acknowledged();
      long last = Math.min(limit, acknowledged);
      if (next <= last) {
        boolean[] full = {false};
        log.read(
            next,
            cursor -> {
              if (cursor.sequenceNr() > last) {
                return false;
              }
              StoredEntry entry = cursor.entry();
              bytes[0] += entry.payload().remaining();
              events.add(envelope(entry));
              following[0] = entry.sequenceNr() + 1;
              full[0] = events.size() >= PAGE_EVENTS || bytes[0] >= PAGE_BYTES;
              return !full[0];
            });
        if (!full[0]) {
          following[0] = last + 1;
        }
      }
      return new Page(events, following[0], acknowledged, null);
    } catch (IOException | RuntimeException e) {
      return new Page(events, following[0], 0, e);
    }
  }

  private EventEnvelope envelope(StoredEntry entry) throws IOException {
    return new EventEnvelope(
        Offset.sequence(entry.sequenceNr()),
        log.persistenceId,
        entry.sequenceNr(),
        codec.event(entry),
        entry.timestamp());
  }

  private final class Logic extends GraphStageLogic {
    private final Runnable listener = this::moreAcknowledged;
    private AsyncCallback<Page> pageRead;
    private AsyncCallback<Long> more;
    private Page page = new Page(new ArrayDeque<>(), from, 0, null);
    private boolean reading;
    private boolean drained;

    /** Where a stream of current events ends; known when its first page has been read. */
    private long end = live ? to : -1;

    Logic() {
      super(shape);
      setHandler(
          out,
          new AbstractOutHandler() {
            @Override
            public void onPull() {
              proceed();
            }
          });
    }

    @Override
    public void preStart() {
      pageRead = createAsyncCallback(this::onPage);
      more = createAsyncCallback(ignored -> onMore());
      if (live) {
        log.addListener(listener);
      }
    }

    @Override
    public void postStop() {
      log.removeListener(listener);
    }

    private void moreAcknowledged() {
      more.invoke(0L);
    }

    private void onMore() {
      drained = false;
      if (isAvailable(out)) {
        proceed();
      }
    }

    private void onPage(Page read) {
      reading = false;
      boolean nothing = read.events.isEmpty() && read.nextSequenceNr == page.nextSequenceNr;
      page = read;
      if (end < 0) {
        end = Math.min(to, read.acknowledged);
      }
      drained = drained && nothing;
      if (isAvailable(out)) {
        proceed();
      }
    }

    /** Emits, or ends, or reads the next page, or waits: in this order. */
    private void proceed() {
      if (!page.events.isEmpty()) {
        push(out, page.events.poll());
      } else if (page.failure != null) {
        failStage(page.failure);
      } else if (end >= 0 && page.nextSequenceNr > end) {
        completeStage();
      } else if (!reading && !drained) {
        reading = true;
        drained = true;
        long next = page.nextSequenceNr;
        // What came after a stream of current events began is not among them.
        long limit = end < 0 ? to : end;
        blocking.execute(() -> pageRead.invoke(readPage(next, limit)));
      }
    }
  }
}
