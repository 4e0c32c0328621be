package io.tidemark.controller;

import static io.tidemark.controller.Refusal.refuse;

import io.tidemark.controller.ControllerEffect.Reply;
import io.tidemark.controller.ControllerInput.Activated;
import io.tidemark.controller.ControllerInput.Committed;
import io.tidemark.controller.ControllerInput.ControlRecordAppended;
import io.tidemark.controller.ControllerInput.Deactivated;
import io.tidemark.controller.ControllerInput.LogEndReported;
import io.tidemark.controller.ControllerInput.Requested;
import io.tidemark.controller.ControllerInput.Tick;
import io.tidemark.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * The controller as a state machine: it decides, its shell appends and answers. Deterministic and
 * for one thread; it has no clock, no randomness and no I/O of its own.
 *
 * <p>Legal transitions: inactive → active (Activated) → inactive (Deactivated); an Activated of a
 * newer epoch while active is both. Nothing is kept from one to the next but what is in the log.
 */
public final class ControllerCore {
  private final ControllerSettings settings;
  private ActiveController active;

  public ControllerCore(ControllerSettings settings) {
    this.settings = settings;
  }

  /**
   * @param nowNanos of a monotonic clock
   * @return what to do, in this order
   */
  public List<ControllerEffect> on(ControllerInput input, long nowNanos) {
    List<ControllerEffect> effects = new ArrayList<>();
    if (input instanceof Activated activated) {
      deactivate(effects);
      active = new ActiveController(activated, settings, nowNanos);
    } else if (input instanceof Deactivated) {
      deactivate(effects);
    } else if (input instanceof Requested requested) {
      request(requested, nowNanos, effects);
    } else if (active != null && input instanceof Committed committed) {
      active.committed(committed.highWatermark(), effects);
    } else if (active != null && input instanceof Tick) {
      active.tick(nowNanos, effects);
    } else if (active != null && input instanceof LogEndReported report) {
      active.reported(report);
    } else if (active != null && input instanceof ControlRecordAppended appended) {
      active.controlRecordAppended(appended.offset());
    }
    return effects;
  }

  private void request(Requested requested, long nowNanos, List<ControllerEffect> effects) {
    if (active == null) {
      effects.add(
          new Reply(
              requested.token(),
              refuse(
                  ErrorCode.NOT_CONTROLLER,
                  "this node is not the active controller; nothing was done, ask the quorum's"
                      + " leader")));
    } else {
      active.requested(requested, nowNanos, effects);
    }
  }

  private void deactivate(List<ControllerEffect> effects) {
    if (active != null) {
      active.deactivated(effects);
      active = null;
    }
  }
}
