package io.tidemark.benchmark.jraft;

import java.io.Serializable;

/** A request to a group's leader: values to append; none asks how many bytes there are. */
final class Append implements Serializable {
  private static final long serialVersionUID = 1;

  final int group;
  final byte[] values;

  Append(int group, byte[] values) {
    this.group = group;
    this.values = values;
  }
}
