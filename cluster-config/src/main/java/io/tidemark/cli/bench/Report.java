package io.tidemark.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.cli.bench.Figures.Figure;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The figures of all runs, as a table and as JSON.
 *
 * @param parameters what was measured, by name
 * @param runs at least one, all with the same figures
 */
record Report(String benchmark, Map<String, Object> parameters, List<Figures> runs) {
  private static final int LABEL = 38;
  private static final int COLUMN = 14;

  /** What stands in the middle of an odd number of values, and just below it of an even one. */
  static Figure median(List<Figure> figures) {
    return sorted(figures).get((figures.size() - 1) / 2);
  }

  static Figure least(List<Figure> figures) {
    return sorted(figures).get(0);
  }

  static Figure most(List<Figure> figures) {
    return sorted(figures).get(figures.size() - 1);
  }

  private static List<Figure> sorted(List<Figure> figures) {
    return figures.stream().sorted(Comparator.comparingDouble(Figure::value)).toList();
  }

  private List<Figure> all(String name) {
    return runs.stream().map(run -> run.byName().get(name)).toList();
  }

  void print(PrintStream out) {
    StringBuilder line = new StringBuilder();
    parameters.forEach((name, value) -> line.append("  ").append(name).append(' ').append(value));
    out.println();
    out.println(benchmark + line);
    if (runs.size() > 1) {
      out.println(" ".repeat(LABEL) + cell("median") + cell("min") + cell("max"));
    }
    for (String name : runs.get(0).byName().keySet()) {
      List<Figure> figures = all(name);
      String cells = cell(median(figures).text());
      if (runs.size() > 1) {
        cells += cell(least(figures).text()) + cell(most(figures).text());
      }
      out.println(("%-" + LABEL + "s").formatted(median(figures).label()) + cells);
    }
    runs.forEach(run -> run.faults().forEach(fault -> out.println("FAULT: " + fault)));
  }

  private static String cell(String text) {
    return ("%" + COLUMN + "s").formatted(text);
  }

  /** One line: the medians by name, and with several runs the extremes below "min" and "max". */
  String json() {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("benchmark", benchmark);
    line.putAll(parameters);
    line.put("runs", runs.size());
    line.putAll(numbers(Report::median));
    if (runs.size() > 1) {
      line.put("min", numbers(Report::least));
      line.put("max", numbers(Report::most));
    }
    line.put("ok", isOk());
    try {
      return new ObjectMapper().writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("figures have no JSON form", e);
    }
  }

  private Map<String, Object> numbers(Function<List<Figure>, Figure> choice) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    for (String name : runs.get(0).byName().keySet()) {
      numbers.put(name, choice.apply(all(name)).number());
    }
    return numbers;
  }

  boolean isOk() {
    return runs.stream().allMatch(run -> run.faults().isEmpty());
  }
}
