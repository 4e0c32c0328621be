package io.tidemark.benchmark.jraft;

import com.alipay.sofa.jraft.option.CliOptions;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.RpcFactoryHelper;
import io.tidemark.benchmark.Nodes;
import io.tidemark.benchmark.Peer;
import io.tidemark.benchmark.Plan;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Three nodes with a group for each partition, and a client that sends to the groups' leaders. */
final class JRaftPeer implements Peer {
  private static final int IN_FLIGHT_PER_GROUP = 8;
  private static final int ANSWER_MILLIS = 30_000;

  private final Plan plan;
  private final List<Endpoint> endpoints;
  private final RpcClient client;
  private final Semaphore window;

  private JRaftPeer(Plan plan, List<Integer> ports) {
    this.plan = plan;
    endpoints = ports.stream().map(port -> new Endpoint("127.0.0.1", port)).toList();
    window = new Semaphore(IN_FLIGHT_PER_GROUP * plan.partitions);
    client = RpcFactoryHelper.rpcFactory().createRpcClient();
    client.init(new CliOptions());
  }

  static JRaftPeer start(Plan plan, Nodes nodes) throws Exception {
    List<Integer> ports = Nodes.freePorts(Nodes.COUNT);
    String addresses =
        ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int node = 0; node < Nodes.COUNT; node++) {
      nodes.start(
          node,
          JRaftNode.class,
          List.of(
              Integer.toString(node),
              addresses,
              nodes.directory(node).toString(),
              Integer.toString(plan.partitions),
              Boolean.toString(plan.flush == Plan.Flush.EACH_COMMIT)));
    }
    JRaftPeer peer = new JRaftPeer(plan, ports);
    try {
      nodes.await("the groups' leaders", () -> peer.stored() == 0);
      return peer;
    } catch (Exception e) {
      peer.close();
      throw e;
    }
  }

  /** Where the leader is by its priority. */
  private Endpoint leader(int group) {
    return endpoints.get(group % Nodes.COUNT);
  }

  @Override
  public int recordsInRequest() {
    return plan.recordsInRequest();
  }

  @Override
  public void send(int partition, byte[] request, Consumer<Throwable> done) throws Exception {
    window.acquire();
    client.invokeAsync(
        leader(partition),
        new Append(partition, request),
        (answer, failure) -> {
          window.release();
          done.accept(failure != null ? failure : failure((Answer) answer));
        },
        ANSWER_MILLIS);
  }

  private static Throwable failure(Answer answer) {
    return answer.failure == null ? null : new IllegalStateException(answer.failure);
  }

  @Override
  public long stored() throws Exception {
    long bytes = 0;
    for (int group = 0; group < plan.partitions; group++) {
      Append question = new Append(group, new byte[0]);
      Answer answer = (Answer) client.invokeSync(leader(group), question, ANSWER_MILLIS);
      if (answer.failure != null) {
        throw new IllegalStateException("group " + group + ": " + answer.failure);
      }
      bytes += answer.bytes;
    }
    return bytes / plan.size;
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
