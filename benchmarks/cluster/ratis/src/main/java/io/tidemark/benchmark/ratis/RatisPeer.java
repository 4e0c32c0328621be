package io.tidemark.benchmark.ratis;

import io.tidemark.benchmark.Nodes;
import io.tidemark.benchmark.Peer;
import io.tidemark.benchmark.Plan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.TimeDuration;

/** Three nodes with a group for each partition, and a client for each group. */
final class RatisPeer implements Peer {
  private static final int IN_FLIGHT_PER_GROUP = 8;

  private final Plan plan;
  private final List<RaftClient> clients = new ArrayList<>();
  private final Semaphore window;

  private RatisPeer(Plan plan, List<Integer> ports) {
    this.plan = plan;
    // The default of 3 s is short for a machine whose cores are all busy.
    RaftProperties properties = new RaftProperties();
    RaftClientConfigKeys.Rpc.setRequestTimeout(
        properties, TimeDuration.valueOf(30, TimeUnit.SECONDS));
    window = new Semaphore(IN_FLIGHT_PER_GROUP * plan.partitions);
    for (int i = 0; i < plan.partitions; i++) {
      RaftGroup group = RaftGroup.valueOf(RaftGroupId.valueOf(new UUID(1, i + 1)), peers(i, ports));
      clients.add(
          RaftClient.newBuilder()
              .setProperties(properties)
              .setRaftGroup(group)
              .setLeaderId(leader(i, ports).getId())
              .build());
    }
  }

  static RatisPeer start(Plan plan, Nodes nodes) throws Exception {
    List<Integer> ports = Nodes.freePorts(Nodes.COUNT);
    for (int node = 0; node < Nodes.COUNT; node++) {
      nodes.start(
          node,
          RatisNode.class,
          List.of(
              id(node),
              ports.get(node).toString(),
              nodes.directory(node).toString(),
              Boolean.toString(plan.flush == Plan.Flush.EACH_COMMIT)));
    }
    RatisPeer peer = new RatisPeer(plan, ports);
    try {
      peer.addGroups(nodes, ports);
      return peer;
    } catch (Exception e) {
      peer.close();
      throw e;
    }
  }

  private static String id(int node) {
    return "n" + node;
  }

  /** Each node is the first choice for a third of the groups. */
  private static RaftPeer leader(int group, List<Integer> ports) {
    return peers(group, ports).get(group % Nodes.COUNT);
  }

  private static List<RaftPeer> peers(int group, List<Integer> ports) {
    return IntStream.range(0, Nodes.COUNT)
        .mapToObj(
            node ->
                RaftPeer.newBuilder()
                    .setId(id(node))
                    .setAddress("127.0.0.1:" + ports.get(node))
                    .setPriority(group % Nodes.COUNT == node ? 1 : 0)
                    .build())
        .toList();
  }

  private void addGroups(Nodes nodes, List<Integer> ports) throws Exception {
    for (int i = 0; i < plan.partitions; i++) {
      RaftClient client = clients.get(i);
      List<RaftPeer> peers = peers(i, ports);
      RaftGroup group = RaftGroup.valueOf(client.getGroupId(), peers);
      for (RaftPeer peer : peers) {
        nodes.await(
            "a node", () -> client.getGroupManagementApi(peer.getId()).add(group).isSuccess());
      }
    }
    for (int i = 0; i < plan.partitions; i++) {
      RaftClient client = clients.get(i);
      RaftPeer leader = leader(i, ports);
      nodes.await("a group's leader", () -> leads(client, leader));
    }
  }

  private static boolean leads(RaftClient client, RaftPeer peer) throws IOException {
    return client
            .getGroupManagementApi(peer.getId())
            .info(client.getGroupId())
            .getRoleInfoProto()
            .getRole()
        == RaftPeerRole.LEADER;
  }

  @Override
  public int recordsInRequest() {
    return plan.recordsInRequest();
  }

  @Override
  public void send(int partition, byte[] request, Consumer<Throwable> done) throws Exception {
    window.acquire();
    clients
        .get(partition)
        .async()
        .send(Message.valueOf(UnsafeByteOperations.unsafeWrap(request)))
        .whenComplete(
            (reply, failure) -> {
              window.release();
              done.accept(failure != null ? failure : failure(reply));
            });
  }

  private static Throwable failure(RaftClientReply reply) {
    return reply.isSuccess() ? null : reply.getException();
  }

  @Override
  public long stored() throws Exception {
    long bytes = 0;
    for (RaftClient client : clients) {
      RaftClientReply reply = client.io().sendReadOnly(Message.EMPTY);
      bytes += Long.parseLong(reply.getMessage().getContent().toStringUtf8());
    }
    return bytes / plan.size;
  }

  @Override
  public void close() {
    for (RaftClient client : clients) {
      try {
        client.close();
      } catch (IOException e) {
        System.err.println("a client was not closed: " + e);
      }
    }
  }
}
