package io.tidemark.groupkill;

import akka.Done;
import akka.actor.typed.ActorSystem;
import akka.stream.KillSwitches;
import akka.stream.UniqueKillSwitch;
import akka.stream.javadsl.Keep;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerMessage;
import io.tidemark.client.ProducerRecord;
import io.tidemark.client.ProducerSettings;
import io.tidemark.client.TidemarkClient;
import io.tidemark.serialization.Serializer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Writes numbers at a steady rate, dealt out over the partitions, through a producer's flow. */
final class SteadyWriter {
  static final int PARTITIONS = 6;

  /**
   * @param perSecond records
   * @param bytes of each
   */
  record Load(int perSecond, int bytes) {}

  private final CompletionStage<Done> written;
  private final UniqueKillSwitch end;
  private volatile int next;

  SteadyWriter(
      ActorSystem<?> system, TidemarkClient client, int first, Load load, GroupLedger ledger) {
    next = first;
    var running =
        Source.range(first, Integer.MAX_VALUE)
            .throttle(load.perSecond(), Duration.ofSeconds(1))
            .viaMat(KillSwitches.single(), Keep.right())
            .map(
                number -> {
                  next = number + 1;
                  ByteBuffer value = ByteBuffer.allocate(load.bytes()).putInt(0, number);
                  return new ProducerMessage<>(
                      new ProducerRecord<ByteBuffer, ByteBuffer>(
                          MemberMain.TOPIC, number % PARTITIONS, null, value),
                      number);
                })
            .via(
                Producer.<ByteBuffer, ByteBuffer, Integer>flow(
                    ProducerSettings.create(
                        client, Serializer.byteBuffer(), Serializer.byteBuffer())))
            .toMat(
                Sink.foreach(
                    result ->
                        ledger.acknowledged(
                            result.metadata().partition(),
                            result.metadata().offset(),
                            result.passThrough())),
                Keep.both())
            .run(system);
    end = running.first();
    written = running.second();
  }

  /** Completes when all is acknowledged; fails when one record was not. */
  CompletionStage<Done> end() {
    end.shutdown();
    return written;
  }

  /** Whether it goes on. */
  boolean isWriting() {
    return !written.toCompletableFuture().isDone();
  }

  /** The first number that it has not written, when it has ended. */
  int next() {
    return next;
  }
}
