package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.broker.BrokerLifecycle.Ask;
import io.tidemark.broker.BrokerLifecycle.Phase;
import io.tidemark.protocol.ControllerRequest.Heartbeat;
import io.tidemark.protocol.ControllerRequest.RegisterBroker;
import io.tidemark.protocol.ControllerResponse;
import io.tidemark.protocol.ControllerResponse.BrokerRegistered;
import io.tidemark.protocol.ControllerResponse.HeartbeatAnswered;
import io.tidemark.protocol.ErrorCode;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BrokerLifecycleTest {
  private static final long SECOND = 1_000_000_000;
  private static final UUID FRESH = new UUID(9, 9);

  private final RegisterBroker registration =
      new RegisterBroker(
          1, new UUID(1, 1), new UUID(2, 2), null, "127.0.0.1:1", 0, "", 2 << 20, true);
  private final BrokerLifecycle broker = new BrokerLifecycle(registration);

  private Ask ask(long now) {
    return broker.due(7, now).orElseThrow();
  }

  private void answer(Ask ask, ControllerResponse response, long now) {
    broker.answered(ask.requestId(), response, FRESH, now);
  }

  private void register() {
    answer(ask(0), new BrokerRegistered(ErrorCode.NONE, 5), 0);
  }

  @Test
  void it_registers_until_it_is_answered_with_the_same_incarnation() {
    Ask first = ask(0);
    assertTrue(broker.due(0, SECOND / 2).isEmpty());

    Ask second = ask(SECOND);

    assertEquals(registration, first.request());
    assertEquals(registration, second.request());
  }

  @Test
  void once_registered_its_heartbeats_tell_how_much_metadata_it_knows() {
    register();

    assertEquals(new Heartbeat(1, 5, 7, false), ask(0).request());
    assertEquals(Phase.ALIVE, broker.phase());
  }

  @Test
  void an_answer_to_a_request_that_was_given_up_is_not_taken() {
    Ask lost = ask(0);
    ask(SECOND);

    answer(lost, new BrokerRegistered(ErrorCode.NONE, 5), SECOND);

    assertEquals(Phase.REGISTERING, broker.phase());
  }

  @Test
  void it_asks_again_at_once_when_the_controller_moved() {
    ask(0);

    broker.askAgain(1);

    assertEquals(registration, ask(1).request());
  }

  @Test
  void a_controller_that_does_not_know_it_any_more_gets_a_new_incarnation() {
    register();

    answer(ask(0), new ControllerResponse.Failed(ErrorCode.STALE_BROKER_EPOCH, "another one"), 0);

    RegisterBroker again = (RegisterBroker) ask(0).request();
    assertEquals(FRESH, again.incarnation());
    assertNotEquals(registration.incarnation(), again.incarnation());
    assertEquals(-1, broker.brokerEpoch());
  }

  @Test
  void it_is_gone_only_when_the_controller_lets_it_go() {
    register();
    broker.leave(0);

    Ask wanting = ask(0);
    answer(wanting, new HeartbeatAnswered(ErrorCode.NONE, false, false), 0);
    assertEquals(new Heartbeat(1, 5, 7, true), wanting.request());
    assertEquals(Phase.LEAVING, broker.phase());
    answer(ask(SECOND), new HeartbeatAnswered(ErrorCode.NONE, true, true), SECOND);

    assertEquals(Phase.GONE, broker.phase());
    assertTrue(broker.due(7, 10 * SECOND).isEmpty());
  }

  @Test
  void one_that_was_never_registered_has_nothing_to_hand_over() {
    broker.leave(0);

    assertEquals(Phase.GONE, broker.phase());
  }
}
