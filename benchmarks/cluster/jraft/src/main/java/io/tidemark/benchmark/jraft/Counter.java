package io.tidemark.benchmark.jraft;

import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.StateMachineAdapter;

/** A state machine that counts the bytes of its log's entries. */
final class Counter extends StateMachineAdapter {
  private volatile long bytes;

  @Override
  public void onApply(Iterator entries) {
    while (entries.hasNext()) {
      bytes += entries.getData().remaining();
      if (entries.done() != null) {
        entries.done().run(Status.OK());
      }
      entries.next();
    }
  }

  long bytes() {
    return bytes;
  }
}
