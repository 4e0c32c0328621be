package io.tidemark.cli.bench;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one run has measured, in the order in which it is told. */
final class Figures {

  /**
   * @param label for people, with its unit
   * @param decimals how many digits behind the point mean something
   */
  record Figure(String label, double value, int decimals) {

    Figure with(double other) {
      return new Figure(label, other, decimals);
    }

    String text() {
      return Double.isNaN(value) ? "unknown" : ("%,." + decimals + "f").formatted(value);
    }

    /** Null when not known. */
    BigDecimal number() {
      return Double.isNaN(value)
          ? null
          : BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP);
    }
  }

  private final Map<String, Figure> byName = new LinkedHashMap<>();
  private final List<String> faults = new ArrayList<>();

  Figures add(String name, String label, double value, int decimals) {
    byName.put(name, new Figure(label, value, decimals));
    return this;
  }

  /** Something that must not be: the command fails. */
  Figures faultIf(boolean wrong, String what) {
    if (wrong) {
      faults.add(what);
    }
    return this;
  }

  Map<String, Figure> byName() {
    return byName;
  }

  List<String> faults() {
    return faults;
  }
}
