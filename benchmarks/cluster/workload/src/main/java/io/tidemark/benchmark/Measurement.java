package io.tidemark.benchmark;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * One run's result: a flat JSON object in one line. Tidemark's own bench command prints the same
 * names.
 *
 * @param fields by name; texts and numbers
 */
record Measurement(Map<String, Object> fields) {
  private static final Pattern FIELD =
      Pattern.compile("\"([A-Za-z0-9]+)\"\\s*:\\s*(?:\"([^\"\\\\]*)\"|([-+.0-9eE]+)|(\\w+))");

  static Measurement of(
      String contestant,
      Plan plan,
      long records,
      Histogram latencies,
      double cpuSeconds,
      long lost) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("contestant", contestant);
    fields.put("workload", plan.workload.toString());
    fields.put("size", plan.size);
    fields.put("partitions", plan.partitions);
    fields.put("flush", plan.flush.toString());
    fields.put("acks", "all");
    if (plan.workload == Plan.Workload.LATENCY) {
      fields.put("rate", plan.rate);
    }
    fields.put("seconds", plan.seconds);
    fields.put("recordsPerSecond", records / plan.seconds);
    fields.put("mbPerSecond", records * (double) plan.size / 1e6 / plan.seconds);
    fields.put("p50Ms", latencies.getValueAtPercentile(50) / 1e6);
    fields.put("p99Ms", latencies.getValueAtPercentile(99) / 1e6);
    fields.put("p999Ms", latencies.getValueAtPercentile(99.9) / 1e6);
    fields.put("maxMs", latencies.getMaxValue() / 1e6);
    fields.put("cpuSeconds", cpuSeconds);
    fields.put("cpuMicrosPerRecord", cpuSeconds * 1e6 / Math.max(1, records));
    fields.put("lost", lost);
    return new Measurement(fields);
  }

  /** Reads a line that {@link #toJson} could have written. */
  static Measurement parse(String line) {
    Map<String, Object> fields = new LinkedHashMap<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find()) {
      if (matcher.group(2) != null) {
        fields.put(matcher.group(1), matcher.group(2));
      } else if (matcher.group(3) != null) {
        String number = matcher.group(3);
        fields.put(
            matcher.group(1),
            number.matches("-?\\d+") ? (Number) Long.valueOf(number) : Double.valueOf(number));
      }
    }
    return new Measurement(fields);
  }

  /** Of another's line, which does not say so itself. */
  Measurement with(String name, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(fields);
    all.put(name, value);
    return new Measurement(all);
  }

  String toJson() {
    return fields.entrySet().stream()
        .map(it -> "\"" + it.getKey() + "\":" + json(it.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String json(Object value) {
    if (value instanceof Double number) {
      return String.format(Locale.ROOT, "%.3f", number);
    }
    return value instanceof Number ? value.toString() : "\"" + value + "\"";
  }

  /** A field that every measurement has. */
  String text(String name) {
    return require(name, String.class);
  }

  /** A field that every measurement of its workload has. */
  double number(String name) {
    return require(name, Number.class).doubleValue();
  }

  private <T> T require(String name, Class<T> type) {
    if (!type.isInstance(fields.get(name))) {
      throw new IllegalArgumentException("no field \"" + name + "\" in " + toJson());
    }
    return type.cast(fields.get(name));
  }
}
