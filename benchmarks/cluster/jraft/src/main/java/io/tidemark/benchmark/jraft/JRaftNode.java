package io.tidemark.benchmark.jraft;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.RaftGroupService;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.rpc.RaftRpcServerFactory;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcServer;
import io.tidemark.benchmark.Nodes;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process with a replica of each group. */
public final class JRaftNode implements RpcProcessor<Append> {
  private static final int ELECTION_MILLIS = 2_000;

  private final List<Node> groups = new ArrayList<>();
  private final List<Counter> counters = new ArrayList<>();

  private JRaftNode() {}

  /** Of its number, all nodes' addresses, its directory, the number of groups, and true to sync. */
  public static void main(String[] args) throws Exception {
    Nodes.endWithParent();
    Main.takeWholeRequests();
    int number = Integer.parseInt(args[0]);
    List<String> addresses = List.of(args[1].split(","));
    Path directory = Path.of(args[2]);
    PeerId self = PeerId.parsePeer(addresses.get(number));
    JRaftNode node = new JRaftNode();
    RpcServer server = RaftRpcServerFactory.createRaftRpcServer(self.getEndpoint());
    server.registerProcessor(node);
    for (int group = 0; group < Integer.parseInt(args[3]); group++) {
      Path storage = Files.createDirectories(directory.resolve("group-" + group));
      node.start(group, number, addresses, storage, Boolean.parseBoolean(args[4]), server);
    }
    if (!server.init(null)) {
      throw new IllegalStateException("the server has not started on " + self);
    }
    Thread.currentThread().join();
  }

  static String name(int group) {
    return "group-" + group;
  }

  /** Each node is the first choice for a third of the groups. */
  static int priority(int group, int node) {
    return group % Nodes.COUNT == node ? 100 : 40;
  }

  private void start(
      int group, int number, List<String> addresses, Path storage, boolean sync, RpcServer server) {
    Counter counter = new Counter();
    Configuration configuration = new Configuration();
    for (int node = 0; node < addresses.size(); node++) {
      PeerId peer = PeerId.parsePeer(addresses.get(node));
      peer.setPriority(priority(group, node));
      configuration.addPeer(peer);
    }
    NodeOptions options = new NodeOptions();
    options.setElectionTimeoutMs(ELECTION_MILLIS);
    options.setElectionPriority(priority(group, number));
    options.setSharedElectionTimer(true);
    options.setSharedVoteTimer(true);
    options.setSharedStepDownTimer(true);
    options.setSharedTimerPool(true);
    options.setInitialConf(configuration);
    options.setFsm(counter);
    options.setLogUri(storage.resolve("log").toString());
    options.setRaftMetaUri(storage.resolve("meta").toString());
    options.getRaftOptions().setSync(sync);
    PeerId self = PeerId.parsePeer(addresses.get(number));
    counters.add(counter);
    groups.add(new RaftGroupService(name(group), self, options, server, true).start(false));
  }

  @Override
  public void handleRequest(RpcContext context, Append request) {
    Node node = groups.get(request.group);
    Counter counter = counters.get(request.group);
    if (request.values.length == 0) {
      context.sendResponse(new Answer(counter.bytes(), node.isLeader() ? null : "not the leader"));
      return;
    }
    node.apply(
        new Task(
            ByteBuffer.wrap(request.values),
            status ->
                context.sendResponse(
                    new Answer(counter.bytes(), status.isOk() ? null : status.toString()))));
  }

  @Override
  public String interest() {
    return Append.class.getName();
  }
}
