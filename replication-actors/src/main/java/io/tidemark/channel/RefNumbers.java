package io.tidemark.channel;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import io.tidemark.wire.WireMessages;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The refs that one connection speaks of, by number: each side counts those that it has told, and
 * tells each in full once.
 *
 * <p>Invariant: a ref is on its way before any message that names its number.
 */
final class RefNumbers implements WireMessages.Refs {
  /** A connection that has spoken of so many is made anew; most of them have ended by then. */
  static final int MAX = 50_000;

  private final ActorRefResolver resolver;
  private final Consumer<Frames.Frame> send;
  private final Map<ActorRef<?>, Integer> told = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger();
  private final List<ActorRef<?>> heard = new ArrayList<>();

  /**
   * @param send puts a frame behind those that were sent; is called by any thread
   */
  RefNumbers(ActorRefResolver resolver, Consumer<Frames.Frame> send) {
    this.resolver = resolver;
    this.send = send;
  }

  boolean isFull() {
    return next.get() >= MAX;
  }

  @Override
  public void put(ByteBuffer out, ActorRef<?> ref) {
    Integer number = told.get(ref);
    out.putInt(number != null ? number : tell(ref));
  }

  private synchronized int tell(ActorRef<?> ref) {
    return told.computeIfAbsent(
        ref,
        it -> {
          send.accept(Frames.ref(resolver.toSerializationFormat(it)));
          return next.getAndIncrement();
        });
  }

  /** By the one thread that reads. */
  void heard(ByteBuffer body) {
    if (heard.size() > MAX + 1_000) {
      throw new IllegalArgumentException("it speaks of more than " + MAX + " refs");
    }
    heard.add(resolver.resolveActorRef(Frames.ref(body)));
  }

  @SuppressWarnings("unchecked")
  @Override
  public <T> ActorRef<T> get(ByteBuffer in) {
    int number = in.getInt();
    if (number < 0 || number >= heard.size()) {
      throw new IllegalArgumentException("it never told its ref " + number);
    }
    return (ActorRef<T>) heard.get(number);
  }
}
