package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchResponse.CurrentLeader;
import io.tidemark.protocol.PartitionState;
import io.tidemark.protocol.ProduceRequest.Acks;
import io.tidemark.protocol.ProduceResponse;
import io.tidemark.record.Compression;
import io.tidemark.record.Record;
import io.tidemark.record.RecordBatch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * A producer's core between an application that sends, and a cluster that answers, loses, changes
 * leaders and takes its time: all by chance, from one seed. Checks each effect as it comes.
 */
final class ProducerModel {
  private static final int BROKERS = 3;
  private static final int MAX_BATCH_BYTES = 1_500;
  private static final long MEMORY = 20_000;
  private static final long MS = 1_000_000;
  private static final Set<ErrorCode> REFUSALS =
      Set.of(ErrorCode.RECORD_TOO_LARGE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  private static final UUID TOPIC = new UUID(7, 7);

  /** What is sent and not settled: what it takes, and where it has to go, −1 for anywhere. */
  private record Sent(long bytes, int partition) {}

  private record Answer(long requestId, ProduceResponse response) {}

  /** An answer that waits until the log is committed that far. */
  private record Held(int partition, long end, Answer answer) {}

  private final Random random;
  private final Acks acks;

  /** Nothing is given up then: each record succeeds, unless it is refused at once. */
  private final boolean patient;

  private final ProducerCore core;
  private final BufferMemory memory = new BufferMemory(MEMORY);
  private final List<ModelLog> logs = new ArrayList<>();
  private final Map<Integer, Deque<ProducerEffect.SendBatch>> requests = new HashMap<>();
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<Held> held = new ArrayList<>();
  private final Map<Long, Sent> unsettled = new HashMap<>();
  private final Map<Long, Set<Long>> flushes = new HashMap<>();
  private final Map<Integer, Map<Long, Long>> succeeded = new HashMap<>();
  private final Set<Long> certainlyNotWritten = new HashSet<>();
  private long nextToken;
  private long nextProducerId;
  private long now;
  private boolean topicAsked;
  private boolean idAsked;
  int acknowledged;
  int failed;
  int refused;

  ProducerModel(long seed) {
    random = new Random(seed);
    acks = happens(0.8) ? Acks.ALL : happens(0.5) ? Acks.LEADER : Acks.NONE;
    patient = happens(0.5);
    ProducerCoreSettings settings =
        new ProducerCoreSettings(
            acks,
            random.nextBoolean() ? 1 : 1_024,
            Duration.ofMillis(random.nextInt(3) * 4),
            Compression.NONE,
            Duration.ofMillis(patient ? 60_000 : 300 + random.nextInt(700)),
            Duration.ofMillis(60),
            Duration.ofMillis(10));
    core = new ProducerCore("topic", settings, random.nextInt(100));
    int partitions = 1 + random.nextInt(3);
    for (int i = 0; i < partitions; i++) {
      logs.add(new ModelLog(random.nextInt(BROKERS)));
    }
    for (int broker = 0; broker < BROKERS; broker++) {
      requests.put(broker, new ArrayDeque<>());
    }
  }

  private boolean happens(double probability) {
    return random.nextDouble() < probability;
  }

  /** Something happens. */
  void step() {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> {
        for (int i = random.nextInt(6); i >= 0; i--) {
          send(random.nextInt(logs.size() + (happens(0.02) ? 1 : 0)));
        }
      }
      case 3, 4 -> deliver(random.nextInt(BROKERS), true);
      case 5 -> answer(true);
      case 6 -> commit(random.nextInt(logs.size()));
      case 7 -> pass(random.nextInt(happens(0.02) ? 400 : 20));
      case 8 -> metadata(happens(0.3));
      default -> {
        if (happens(0.2)) {
          changeLeader();
        } else if (happens(0.1)) {
          flush();
        }
      }
    }
  }

  private void send(int partition) {
    int explicit = happens(0.3) || partition == logs.size() ? partition : -1;
    ByteBuffer key = happens(0.3) ? ByteBuffer.allocate(4).putInt(0, random.nextInt(20)) : null;
    int size = Long.BYTES + random.nextInt(happens(0.02) ? 2_000 : 300);
    if (!memory.tryReserve(size)) {
      refused++;
      return;
    }
    send(explicit, key, size);
  }

  /** A record that has its memory. */
  private void send(int explicit, ByteBuffer key, int size) {
    long token = nextToken++;
    int expected =
        explicit >= 0 || key == null
            ? explicit
            : (Partitioner.murmur2(key) & Integer.MAX_VALUE) % logs.size();
    unsettled.put(token, new Sent(size, expected));
    ByteBuffer value = ByteBuffer.allocate(size).putLong(0, token);
    perform(
        core.send(
            new ProducerFixture.Numbered(token),
            new ProducerRecord<>("topic", explicit, key, value),
            now));
  }

  private void flush() {
    long token = nextToken++;
    flushes.put(token, new HashSet<>(unsettled.keySet()));
    perform(core.flush(token, now));
  }

  private void deliver(int broker, boolean mayFail) {
    ProducerEffect.SendBatch request = requests.get(broker).poll();
    if (request == null || (mayFail && happens(0.05))) {
      return;
    }
    int partition = request.request().partition().partition();
    ModelLog log = logs.get(partition);
    if (log.leader != broker) {
      refuse(request, ErrorCode.NOT_LEADER_OR_FOLLOWER);
      return;
    }
    if (mayFail && happens(0.05)) {
      boolean forEver = !patient && happens(0.3);
      refuse(request, forEver ? ErrorCode.CORRUPT_RECORD : ErrorCode.NOT_ENOUGH_REPLICAS);
      return;
    }
    RecordBatch batch = RecordBatch.at(request.request().batches(), 0);
    assertTrue(batch.sizeInBytes() <= MAX_BATCH_BYTES, "a batch of " + batch.sizeInBytes());
    List<Long> tokens =
        batch.records().stream().map(Record::value).map(it -> it.getLong(it.position())).toList();
    ModelLog.Verdict verdict = log.append(batch, tokens);
    if (verdict.error() != ErrorCode.NONE) {
      refuse(request, verdict.error());
      return;
    }
    CurrentLeader leader = new CurrentLeader(broker, log.epoch);
    Answer answer =
        new Answer(
            request.requestId(),
            new ProduceResponse(ErrorCode.NONE, verdict.offset(), 0, leader, ""));
    if (acks == Acks.ALL && verdict.end() > log.committed()) {
      held.add(new Held(partition, verdict.end(), answer));
    } else {
      answers.add(answer);
    }
  }

  private void refuse(ProducerEffect.SendBatch request, ErrorCode error) {
    answers.add(
        new Answer(request.requestId(), ProduceResponse.failed(error, -1, -1, "by the model")));
  }

  private void answer(boolean mayFail) {
    Answer answer = answers.poll();
    if (answer != null && !(mayFail && happens(0.05))) {
      perform(core.answered(answer.requestId(), answer.response(), now));
      if (mayFail && happens(0.02)) {
        perform(core.answered(answer.requestId(), answer.response(), now));
      }
    }
  }

  private void commit(int partition) {
    logs.get(partition).commit();
    long committed = logs.get(partition).committed();
    for (Held it : List.copyOf(held)) {
      if (it.partition() == partition && it.end() <= committed) {
        held.remove(it);
        answers.add(it.answer());
      }
    }
  }

  private void pass(int millis) {
    now += millis * MS;
    perform(core.timePassed(now));
  }

  /** What one of the brokers knows: not always the newest, and not always anything. */
  private void metadata(boolean unknown) {
    if (topicAsked) {
      topicAsked = false;
      List<PartitionState> states = new ArrayList<>();
      for (ModelLog log : logs) {
        boolean old = unknown && log.epoch > 1;
        boolean none = old || (unknown && happens(0.2));
        int leader = none ? PartitionState.NO_LEADER : log.leader;
        int epoch = old ? log.epoch - 1 : log.epoch;
        List<Integer> all = List.of(0, 1, 2);
        states.add(new PartitionState(all, all, List.of(), leader, epoch, epoch, false));
      }
      perform(
          unknown && happens(0.3)
              ? core.topicDescribed(null, 0, List.of(), now)
              : core.topicDescribed(TOPIC, MAX_BATCH_BYTES, states, now));
    }
    if (idAsked) {
      idAsked = false;
      perform(
          unknown && happens(0.3)
              ? core.producerIdRefused()
              : core.producerIdGiven(nextProducerId++, now));
    }
  }

  /** What the old leader had not answered is not answered any more, and may be lost. */
  private void changeLeader() {
    int partition = random.nextInt(logs.size());
    ModelLog log = logs.get(partition);
    int most = acks == Acks.ALL ? log.uncommittedBatches() : 0;
    log.leaderIs(random.nextInt(BROKERS), random.nextInt(most + 1));
    held.removeIf(it -> it.partition() == partition);
  }

  private ProducerEffect.Failed lastFailure;

  private void perform(List<ProducerEffect> effects) {
    for (ProducerEffect effect : effects) {
      if (effect instanceof ProducerEffect.SendBatch send) {
        requests.get(send.leaderId()).add(send);
      } else if (effect instanceof ProducerEffect.AskTopic) {
        topicAsked = true;
      } else if (effect instanceof ProducerEffect.AskProducerId) {
        idAsked = true;
      } else if (effect instanceof ProducerEffect.Succeeded success) {
        onSucceeded(success);
      } else if (effect instanceof ProducerEffect.Failed failure) {
        settle(failure.token().number(), failure.partition(), false);
        failed++;
        lastFailure = failure;
        assertTrue(!patient || REFUSALS.contains(failure.error()), failure.toString());
        if (!failure.mayBeWritten()) {
          certainlyNotWritten.add(failure.token().number());
        }
      } else if (effect instanceof ProducerEffect.Flushed flushed) {
        Set<Long> before = flushes.remove(flushed.token());
        before.retainAll(unsettled.keySet());
        assertEquals(Set.of(), before, "not settled, and flushed");
      }
    }
  }

  private void onSucceeded(ProducerEffect.Succeeded success) {
    settle(success.token().number(), success.partition(), true);
    acknowledged++;
    succeeded
        .computeIfAbsent(success.partition(), partition -> new HashMap<>())
        .put(success.token().number(), success.offset());
  }

  private void settle(long token, int partition, boolean written) {
    Sent sent = unsettled.remove(token);
    assertTrue(sent != null, () -> token + " is settled twice, or was never sent");
    boolean anywhere = sent.partition() < 0 || (!written && partition < 0);
    assertTrue(anywhere || sent.partition() == partition, () -> token + " went to " + partition);
    memory.release(sent.bytes());
  }

  /** No faults any more: what is on its way comes to its end, and new records are written. */
  void heal() {
    comeToAnEnd();
    int before = acknowledged;
    for (int partition = 0; partition < logs.size(); partition++) {
      assertTrue(memory.tryReserve(Long.BYTES), "memory that never came back");
      send(partition, null, Long.BYTES);
    }
    comeToAnEnd();
    assertEquals(
        before + logs.size(), acknowledged, () -> "new records are not written: " + lastFailure);
  }

  private void comeToAnEnd() {
    for (int round = 0; round < 2_000 && !(core.isIdle() && flushes.isEmpty()); round++) {
      for (int broker = 0; broker < BROKERS; broker++) {
        while (!requests.get(broker).isEmpty()) {
          deliver(broker, false);
        }
      }
      for (int partition = 0; partition < logs.size(); partition++) {
        commit(partition);
      }
      while (!answers.isEmpty()) {
        answer(false);
      }
      metadata(false);
      pass(5);
    }
  }

  void check() {
    assertTrue(core.isIdle(), "the core waits for something that never comes");
    assertEquals(Map.of(), unsettled, "sent, and never settled");
    assertEquals(Map.of(), flushes, "flushes that never ended");
    assertEquals(0, memory.used(), "memory that never came back");
    if (acks == Acks.ALL) {
      for (int partition = 0; partition < logs.size(); partition++) {
        check(logs.get(partition).tokens(), succeeded.getOrDefault(partition, Map.of()));
      }
    }
  }

  private void check(List<Long> log, Map<Long, Long> acknowledgedAt) {
    Set<Long> seen = new HashSet<>();
    long last = -1;
    for (long token : log) {
      assertTrue(seen.add(token), () -> token + " is there twice: " + log);
      assertFalse(certainlyNotWritten.contains(token), () -> token + " is said not to be written");
      if (acknowledgedAt.containsKey(token)) {
        assertTrue(last < token, token + " is behind " + last + ": " + log);
        last = token;
      }
    }
    acknowledgedAt.forEach(
        (token, offset) ->
            assertEquals(
                token,
                offset < log.size() ? log.get(offset.intValue()) : null,
                () -> "acknowledged at offset " + offset + " of " + log));
  }
}
