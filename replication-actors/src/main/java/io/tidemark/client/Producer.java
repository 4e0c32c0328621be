package io.tidemark.client;

import akka.Done;
import akka.NotUsed;
import akka.actor.typed.ActorRef;
import akka.stream.javadsl.Flow;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import io.tidemark.client.ProducerMessage.Result;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.record.Compression;
import io.tidemark.record.RecordBatchBuilder;
import io.tidemark.serialization.RecordPart;
import io.tidemark.serialization.SerializationFailure;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Writes records. Thread-safe. Records of one partition are written in the order in which one
 * thread sent them, each once, through retries and any change of leader, with acks=all.
 *
 * <p>What is sent takes memory until it is acknowledged or given up, {@code buffer-memory} at most.
 * A record that is not acknowledged in the end fails with a {@link ProducerFailure}, one whose key
 * or value has no bytes with a {@link SerializationFailure}. Results are told on an actor's thread,
 * so what takes long is for the {@code Async} methods of a stage.
 */
public final class Producer<K, V> {
  private final ProducerSettings<K, V> settings;
  private final TidemarkClient client;
  private final BufferMemory memory;
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();

  private record Topic(SendQueue sends, ActorRef<ProducerActor.Command> actor) {
    void add(SendQueue.Item item) {
      if (sends.add(item)) {
        actor.tell(new ProducerActor.TakeSends());
      }
    }
  }

  /** Stays empty: what is asked is how large a record would make it. */
  private final RecordBatchBuilder sizer = new RecordBatchBuilder(Compression.NONE, 64);

  private Producer(ProducerSettings<K, V> settings) {
    this.settings = settings;
    this.client = settings.client();
    this.memory = new BufferMemory(settings.bufferMemory());
  }

  /**
   * For any topics, also those that are created within the delivery time-out. To be closed; the
   * actor system's coordinated shutdown does it in its phase {@code service-stop}.
   */
  public static <K, V> Producer<K, V> create(ProducerSettings<K, V> settings) {
    Producer<K, V> producer = new Producer<>(settings);
    settings.client().opened(producer);
    return producer;
  }

  /** Writes what comes, as {@link #flow(ProducerSettings)} does; completes when all is written. */
  public static <K, V> Sink<ProducerRecord<K, V>, CompletionStage<Done>> plainSink(
      ProducerSettings<K, V> settings) {
    return Flow.<ProducerRecord<K, V>>create()
        .map(record -> new ProducerMessage<>(record, NotUsed.getInstance()))
        .via(flow(settings))
        .toMat(Sink.ignore(), Keep.right());
  }

  /**
   * As {@link #flow()}, each time with a producer of its own, which ends with the stream.
   *
   * @param <P> what the application passes through
   */
  public static <K, V, P> Flow<ProducerMessage<K, V, P>, Result<K, V, P>, NotUsed> flow(
      ProducerSettings<K, V> settings) {
    return Flow.fromMaterializer(
            (materializer, attributes) -> {
              Producer<K, V> producer = create(settings);
              return producer
                  .<P>flow()
                  .watchTermination(
                      (notUsed, ended) -> ended.whenComplete((done, why) -> producer.close()));
            })
        .mapMaterializedValue(ended -> NotUsed.getInstance());
  }

  /**
   * Writes the record of each message, and passes the message on when it is acknowledged, in the
   * order in which they came. Waits, and makes the stream before it wait, while the memory is full
   * or {@code parallelism} records are not acknowledged. The stream fails with the first record
   * that does, unless its supervision strategy resumes: then the message is dropped.
   */
  public <P> Flow<ProducerMessage<K, V, P>, Result<K, V, P>, NotUsed> flow() {
    record InFlight<K, V, P>(ProducerMessage<K, V, P> message, PendingSend result) {}
    return Flow.<ProducerMessage<K, V, P>>create()
        // One at a time, so that no more than one waits for memory; what has some is sent at once.
        .mapAsync(
            1, message -> then(sendWithRoom(message.record()), it -> new InFlight<>(message, it)))
        .mapAsync(
            settings.parallelism(),
            sent -> then(sent.result(), written -> new Result<>(written, sent.message())));
  }

  /** As thenApply, and a failure stays what it is: supervision looks at its class. */
  private static <A, B> CompletionStage<B> then(CompletionStage<A> stage, Function<A, B> function) {
    CompletableFuture<B> result = new CompletableFuture<>();
    stage.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            result.complete(function.apply(value));
          } else {
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  /**
   * Completes when as much holds as the settings' acks ask for. Fails at once with {@link
   * BufferExhausted} when the memory is full: then the caller may send slower, and this one again.
   */
  public CompletionStage<RecordMetadata> send(ProducerRecord<K, V> record) {
    try {
      ProducerRecord<ByteBuffer, ByteBuffer> bytes = serialized(record);
      long size = sizeOf(bytes);
      return memory.tryReserve(size)
          ? hand(bytes, size)
          : CompletableFuture.failedStage(noRoom(bytes, size));
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /** Completes when the record is on its way; fails when it will never be. */
  private CompletionStage<PendingSend> sendWithRoom(ProducerRecord<K, V> record) {
    CompletableFuture<PendingSend> result = new CompletableFuture<>();
    ProducerRecord<ByteBuffer, ByteBuffer> bytes;
    try {
      bytes = serialized(record);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
    long size = sizeOf(bytes);
    if (size > memory.limit()) {
      return CompletableFuture.failedStage(noRoom(bytes, size));
    }
    memory
        .reserve(size)
        .thenAccept(
            granted -> {
              if (granted) {
                result.complete(hand(bytes, size));
              } else {
                result.completeExceptionally(noRoom(bytes, size));
              }
            });
    return result;
  }

  private ProducerRecord<ByteBuffer, ByteBuffer> serialized(ProducerRecord<K, V> record) {
    String topic = record.topic();
    int partition = record.partition();
    return new ProducerRecord<>(
        topic,
        partition,
        record.timestamp(),
        RecordPart.KEY.serialize(settings.keys(), topic, partition, record.key()),
        RecordPart.VALUE.serialize(settings.values(), topic, partition, record.value()),
        record.headers());
  }

  private long sizeOf(ProducerRecord<ByteBuffer, ByteBuffer> record) {
    return sizer.estimatedBytesWith(record.key(), record.value(), record.headers());
  }

  /** What has its memory is with the topic's actor, and will be settled by it. */
  private PendingSend hand(ProducerRecord<ByteBuffer, ByteBuffer> record, long size) {
    PendingSend result = new PendingSend(size);
    try {
      topic(record.topic()).add(new SendQueue.Send(record, result));
    } catch (RuntimeException e) {
      result.completeExceptionally(refusal(record, e.toString()));
      memory.release(size);
    }
    return result;
  }

  private Topic topic(String topic) {
    Topic known = topics.get(topic);
    return known != null
        ? known
        : topics.computeIfAbsent(
            topic,
            name -> {
              SendQueue sends = new SendQueue();
              return new Topic(sends, client.startProducer(name, sends, settings.core(), memory));
            });
  }

  private ProducerFailure noRoom(ProducerRecord<?, ?> record, long size) {
    if (size > memory.limit()) {
      return new ProducerFailure(
          ErrorCode.RECORD_TOO_LARGE,
          record.topic(),
          record.partition(),
          false,
          "it takes %d bytes; tidemark.producer.buffer-memory is %d"
              .formatted(size, memory.limit()));
    }
    return memory.isClosed()
        ? refusal(record, "the producer is closed")
        : new BufferExhausted(record.topic(), record.partition(), memory.limit());
  }

  private static ProducerFailure refusal(ProducerRecord<?, ?> record, String reason) {
    return new ProducerFailure(
        ErrorCode.INVALID_REQUEST, record.topic(), record.partition(), false, reason);
  }

  /** Completes when all that was sent before it is acknowledged or has failed. */
  public CompletionStage<Done> flush() {
    synchronized (topics) {
      CompletionStage<Void> flushed =
          memory.isClosed()
              ? memory.close()
              : CompletableFuture.allOf(
                  topics.values().stream().map(Producer::flush).toArray(CompletableFuture[]::new));
      return flushed.thenApply(nothing -> Done.getInstance());
    }
  }

  private static CompletableFuture<Void> flush(Topic topic) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    topic.add(new SendQueue.Flush(done));
    return done;
  }

  /**
   * Refuses what is sent from now on, and completes when all that was sent before it is
   * acknowledged or has failed.
   */
  public CompletionStage<Done> close() {
    CompletionStage<Void> empty = memory.close();
    topics.values().forEach(Producer::flush);
    return empty.thenApply(nothing -> end());
  }

  private Done end() {
    synchronized (topics) {
      topics.values().forEach(topic -> topic.actor().tell(new ProducerActor.Close()));
      topics.clear();
    }
    client.closed(this);
    return Done.getInstance();
  }
}
