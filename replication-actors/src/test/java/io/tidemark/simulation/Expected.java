package io.tidemark.simulation;

import java.util.ArrayList;
import java.util.List;

/** What has to show up in a long run, whether it does or not. */
final class Expected {
  private Expected() {}

  static List<String> of(Profile profile) {
    List<String> names = new ArrayList<>();
    if (profile == Profile.HOSTILE) {
      for (Fault.Kind kind : Fault.Kind.values()) {
        names.add(kind.counter());
      }
    }
    return names;
  }
}
