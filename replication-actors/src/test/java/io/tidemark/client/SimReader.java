package io.tidemark.client;

import io.tidemark.client.ReaderCore.Effect;
import io.tidemark.protocol.ErrorCode;
import io.tidemark.protocol.FetchRequest;
import io.tidemark.protocol.FetchResponse;
import io.tidemark.protocol.ListOffsetsRequest;
import io.tidemark.protocol.ListOffsetsRequest.Position;
import io.tidemark.protocol.ListOffsetsResponse;
import io.tidemark.protocol.PartitionState;
import java.util.List;
import java.util.UUID;

/** A reader's core, for a shell outside of this package. */
public final class SimReader {

  /** What the shell does for it. */
  public interface Shell {
    void fetch(long requestId, int broker, FetchRequest request);

    void listOffsets(long requestId, int broker, ListOffsetsRequest request);

    void askTopic();

    void delivered(FetchResponse response);

    void deliveredOffset(long offset);

    void outOfRange(long offset);

    /** What was read from an offset on is not what the log holds now. */
    void truncated(long divergesAt, int lastEpoch);

    void refused(ErrorCode error);
  }

  private final ReaderCore core;
  private final Shell shell;

  /**
   * @param onlyBroker the replica to read, −1 for the leader
   * @param rack where the reader stands, empty to read from the leader
   */
  public SimReader(int partition, int onlyBroker, String rack, Shell shell) {
    this.core = new ReaderCore(partition, onlyBroker, rack);
    this.shell = shell;
  }

  /**
   * @param lastEpoch of the record before the offset, −1 when that is not known
   */
  public void read(long offset, int lastEpoch, int maxBytes, long now) {
    perform(core.read(offset, lastEpoch, maxBytes, now));
  }

  public void find(Position position, long now) {
    perform(core.find(position, -1, now));
  }

  public void described(UUID topic, PartitionState state, long now) {
    perform(core.described(topic, state, now));
  }

  public void fetched(long requestId, FetchResponse response, long now) {
    perform(core.fetched(requestId, response, now));
  }

  public void listed(long requestId, ListOffsetsResponse response, long now) {
    perform(core.listed(requestId, response, now));
  }

  public void timePassed(long now) {
    perform(core.timePassed(now));
  }

  public boolean isIdle() {
    return core.isIdle();
  }

  private void perform(List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Effect.SendFetch send) {
        shell.fetch(send.requestId(), send.broker(), send.request());
      } else if (effect instanceof Effect.SendListOffsets send) {
        shell.listOffsets(send.requestId(), send.broker(), send.request());
      } else if (effect instanceof Effect.AskTopic) {
        shell.askTopic();
      } else if (effect instanceof Effect.Deliver deliver) {
        shell.delivered(deliver.response());
      } else if (effect instanceof Effect.DeliverOffset deliver) {
        shell.deliveredOffset(deliver.offset());
      } else if (effect instanceof Effect.OutOfRange outOfRange) {
        shell.outOfRange(outOfRange.offset());
      } else if (effect instanceof Effect.Truncated truncated) {
        shell.truncated(truncated.divergesAt(), truncated.lastEpoch());
      } else if (effect instanceof Effect.Refused refused) {
        shell.refused(refused.error());
      }
    }
  }
}
