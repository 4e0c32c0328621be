package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.ReaderCore.Effect;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A reader's position against a model of a partition: leaders change, cleanly or not, answers are
 * lost, doubled and late, and old records go. {@code -Dtidemark.reader.seed} runs one again.
 */
class ReaderModelTest {
  private static final long FIRST_SEED = Long.getLong("tidemark.reader.seed", 1);
  private static final int RUNS = Integer.getInteger("tidemark.reader.runs", 400);
  private static final long MS = 1_000_000;
  private static final UUID TOPIC = new UUID(7, 7);

  private int truncations;
  private int outOfRange;

  @Test
  void what_was_read_last_of_each_offset_is_what_the_log_holds() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      try {
        new Run(seed).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dtidemark.reader.seed=" + seed + ": " + e, e);
      }
    }
    assertTrue(RUNS < 100 || truncations > RUNS / 10, truncations + " truncations");
    assertTrue(RUNS < 100 || outOfRange > RUNS / 10, outOfRange + " times out of range");
  }

  /** One reader and its partition. A record is told from others by its epoch. */
  private final class Run {
    private final Random random;
    private final ReaderCore reader = new ReaderCore(0, -1, "");
    private final List<Integer> log = new ArrayList<>();
    private final TreeMap<Integer, Long> epochStarts = new TreeMap<>();
    private final TreeMap<Long, Integer> consumed = new TreeMap<>();
    private final List<Runnable> underWay = new ArrayList<>();
    private int leader = 1;
    private int epoch;
    private long start;
    private long position;
    private int lastEpoch = -1;
    private long now;
    private boolean healed;

    Run(long seed) {
      random = new Random(seed);
      epochStarts.put(0, 0L);
    }

    void run() {
      read();
      for (int i = 0; i < 300; i++) {
        trouble();
        step();
      }
      healed = true;
      for (int i = 0; i < 2_000 && position != log.size(); i++) {
        step();
      }
      assertEquals(log.size(), position);
      for (int i = 0; i < 200; i++) {
        step();
      }
      for (Map.Entry<Long, Integer> each : consumed.subMap(start, (long) log.size()).entrySet()) {
        assertEquals(log.get(each.getKey().intValue()), each.getValue(), "offset " + each.getKey());
      }
    }

    private void trouble() {
      switch (random.nextInt(30)) {
        case 0 -> elect(log.size());
        case 1 -> elect(Math.max(start, log.size() - random.nextInt(6)));
        case 2 -> start = Math.min(log.size(), start + random.nextInt(8));
        case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 -> log.add(epoch);
        default -> {}
      }
    }

    /** An unclean leader's log may end sooner. */
    private void elect(long end) {
      leader = 1 + random.nextInt(3);
      epoch++;
      log.subList((int) end, log.size()).clear();
      epochStarts.values().removeIf(from -> from > end);
      epochStarts.put(epoch, end);
    }

    private void step() {
      now += (1 + random.nextInt(60)) * MS;
      if (!underWay.isEmpty()) {
        underWay.remove(random.nextInt(underWay.size())).run();
      }
      perform(reader.timePassed(now));
    }

    private void arrives(Runnable answer) {
      int copies = healed || random.nextInt(4) > 0 ? 1 : random.nextInt(3);
      for (int i = 0; i < copies; i++) {
        underWay.add(answer);
      }
    }

    private void read() {
      perform(reader.read(position, lastEpoch, 100, now));
    }

    private void perform(List<Effect> effects) {
      for (Effect effect : effects) {
        if (effect instanceof Effect.AskTopic) {
          PartitionState state = state();
          arrives(() -> perform(reader.described(TOPIC, state, now)));
        } else if (effect instanceof Effect.SendFetch send) {
          FetchResponse response = fetch(send.broker(), send.request());
          arrives(() -> perform(reader.fetched(send.requestId(), response, now)));
        } else if (effect instanceof Effect.SendListOffsets send) {
          ErrorCode error =
              send.broker() == leader ? ErrorCode.NONE : ErrorCode.NOT_LEADER_OR_FOLLOWER;
          ListOffsetsResponse response =
              new ListOffsetsResponse(
                  error, start, -1, new FetchResponse.CurrentLeader(leader, epoch));
          arrives(() -> perform(reader.listed(send.requestId(), response, now)));
        } else if (effect instanceof Effect.Deliver deliver) {
          taken(deliver.response());
          read();
        } else if (effect instanceof Effect.DeliverOffset found) {
          position = found.offset();
          lastEpoch = -1;
          read();
        } else if (effect instanceof Effect.OutOfRange) {
          outOfRange++;
          perform(reader.find(Position.EARLIEST, -1, now));
        } else if (effect instanceof Effect.Truncated truncated) {
          truncations++;
          assertTrue(truncated.divergesAt() < position, truncated::toString);
          position = truncated.divergesAt();
          lastEpoch = truncated.lastEpoch();
          read();
        }
      }
    }

    private void taken(FetchResponse response) {
      ByteBuffer records = response.records().duplicate();
      while (records.hasRemaining()) {
        long offset = records.getLong();
        int recordEpoch = records.getInt();
        assertEquals(position, offset, "a gap, or a record again");
        consumed.put(offset, recordEpoch);
        position = offset + 1;
        lastEpoch = recordEpoch;
      }
    }

    private PartitionState state() {
      List<Integer> all = List.of(1, 2, 3);
      return new PartitionState(all, all, List.of(), leader, epoch, epoch, false);
    }

    /** By the protocol's checks, in their order. */
    private FetchResponse fetch(int broker, FetchRequest request) {
      if (request.leaderEpoch() < epoch) {
        return failed(ErrorCode.FENCED_LEADER_EPOCH);
      }
      if (broker != leader) {
        return failed(ErrorCode.NOT_LEADER_OR_FOLLOWER);
      }
      FetchResponse head = FetchResponse.of(log.size(), start, leader, epoch);
      if (request.fetchOffset() < start) {
        return failed(ErrorCode.OFFSET_OUT_OF_RANGE);
      }
      if (request.lastFetchedEpoch() >= 0) {
        Map.Entry<Integer, Long> next = epochStarts.higherEntry(request.lastFetchedEpoch());
        Integer found = epochStarts.floorKey(request.lastFetchedEpoch());
        long end = next == null ? log.size() : next.getValue();
        int at = found == null ? request.lastFetchedEpoch() : found;
        if (at < request.lastFetchedEpoch() || end < request.fetchOffset()) {
          return head.divergingAt(at, end);
        }
      }
      if (request.fetchOffset() > log.size()) {
        return failed(ErrorCode.OFFSET_OUT_OF_RANGE);
      }
      int from = (int) request.fetchOffset();
      int to = Math.min(log.size(), from + 1 + random.nextInt(5));
      ByteBuffer records = ByteBuffer.allocate((to - from) * 12);
      for (int i = from; i < to; i++) {
        records.putLong(i).putInt(log.get(i));
      }
      return head.withRecords(records.flip());
    }

    private FetchResponse failed(ErrorCode error) {
      return FetchResponse.failed(error, leader, epoch);
    }
  }
}
