package io.tidemark.benchmark.ratis;

import io.tidemark.benchmark.Nodes;
import java.io.File;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** A process with a replica of each group; the client adds the groups. */
public final class RatisNode {
  private RatisNode() {}

  /** Of its id, its port, its directory, and true to sync. */
  public static void main(String[] args) throws Exception {
    Nodes.endWithParent();
    RaftProperties properties = new RaftProperties();
    GrpcConfigKeys.Server.setPort(properties, Integer.parseInt(args[1]));
    RaftServerConfigKeys.setStorageDir(properties, List.of(new File(args[2])));
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, !Boolean.parseBoolean(args[3]));
    // The cached segments of all groups have to fit into the heap.
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("16MB"));
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, seconds(2));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, seconds(4));
    RaftServer.newBuilder()
        .setServerId(RaftPeerId.valueOf(args[0]))
        .setProperties(properties)
        .setStateMachineRegistry(group -> new Counter())
        .build()
        .start();
    Thread.currentThread().join();
  }

  private static TimeDuration seconds(long seconds) {
    return TimeDuration.valueOf(seconds, TimeUnit.SECONDS);
  }
}
