package io.tidemark.benchmark.micro;

import akka.actor.ActorSystem;
import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.PartitionId;
import io.tidemark.wire.ReplicaMessage.Data;
import io.tidemark.wire.ReplicaMessage.Fetch;
import io.tidemark.wire.ReplicaMessage.FetchReply;
import io.tidemark.wire.WireSerializer;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** A follower's fetch and its answer of 64 KiB, into the actor system's transport and back. */
public class WireBenchmark extends Piece {
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(128 * 1024);
  private ActorSystem system;
  private WireSerializer serializer;
  private Data request;
  private Data response;
  private ByteBuffer requestBytes;
  private ByteBuffer responseBytes;
  private String requestManifest;
  private String responseManifest;

  @Setup
  public void start() {
    system = ActorSystem.create("wire", ConfigFactory.load());
    serializer = new WireSerializer((ExtendedActorSystem) system);
    ActorRef<FetchReply> asker = Adapter.spawn(system, Behaviors.empty(), "asker");
    PartitionId partition = new PartitionId(new UUID(1, 2), 0);
    request =
        new Fetch(
            1,
            new FetchRequest(2, 7, null, 500, 1, partition, 1, 100, 100, 1, 0, 1 << 20, 100, ""),
            asker);
    response =
        new FetchReply(
            1, FetchResponse.of(100, 0, 1, 1).withRecords(ByteBuffer.allocate(64 * 1024)));
    requestBytes = written(request);
    responseBytes = written(response);
    requestManifest = serializer.manifest(request);
    responseManifest = serializer.manifest(response);
  }

  private ByteBuffer written(Data message) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(128 * 1024);
    serializer.toBinary(message, bytes);
    return bytes.flip();
  }

  @Benchmark
  public ByteBuffer writeRequest() {
    serializer.toBinary(request, buffer.clear());
    return buffer;
  }

  @Benchmark
  public Object readRequest() {
    return serializer.fromBinary(requestBytes.rewind(), requestManifest);
  }

  @Benchmark
  public ByteBuffer writeResponse() {
    serializer.toBinary(response, buffer.clear());
    return buffer;
  }

  @Benchmark
  public Object readResponse() {
    return serializer.fromBinary(responseBytes.rewind(), responseManifest);
  }

  @TearDown
  public void stop() {
    system.terminate();
  }
}
