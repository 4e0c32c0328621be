package io.tidemark.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static Report reportOf(double... rates) {
    List<Figures> runs =
        Arrays.stream(rates)
            .mapToObj(
                rate ->
                    new Figures()
                        .add("recordsPerSecond", "records/s", rate, 0)
                        .add("p50Ms", "p50, ms", rate / 8, 2))
            .toList();
    return new Report("throughput", Map.of("size", 100), runs);
  }

  @Test
  void one_run_has_one_column_and_no_extremes() throws Exception {
    Report report = reportOf(1_234.6);

    assertEquals(
        List.of("", "throughput  size 100", "records/s  1,235", "p50, ms  154.33"),
        lines(report).map(line -> line.replaceAll(" {3,}", "  ")).toList());
    JsonNode json = new ObjectMapper().readTree(report.json());
    assertEquals(1_235, json.get("recordsPerSecond").intValue());
    assertEquals("154.33", json.get("p50Ms").asText());
    assertEquals(100, json.get("size").intValue());
    assertTrue(json.get("ok").booleanValue());
    assertFalse(json.has("min"));
  }

  @Test
  void several_runs_have_their_median_and_extremes() throws Exception {
    Report report = reportOf(30, 10, 20);

    assertTrue(lines(report).anyMatch(line -> line.matches("records/s +20 +10 +30")));
    JsonNode json = new ObjectMapper().readTree(report.json());
    assertEquals(3, json.get("runs").intValue());
    assertEquals(20, json.get("recordsPerSecond").intValue());
    assertEquals(10, json.get("min").get("recordsPerSecond").intValue());
    assertEquals(30, json.get("max").get("recordsPerSecond").intValue());
  }

  @Test
  void what_is_not_known_is_no_number() throws Exception {
    Report report = reportOf(Double.NaN);

    assertTrue(lines(report).anyMatch(line -> line.matches("records/s +unknown")));
    assertTrue(new ObjectMapper().readTree(report.json()).get("recordsPerSecond").isNull());
  }

  @Test
  void a_fault_of_any_run_is_told_and_is_not_ok() throws Exception {
    Report report = reportOf(1, 2);
    report.runs().get(1).faultIf(false, "nothing").faultIf(true, "2 records are lost");

    assertFalse(report.isOk());
    assertTrue(lines(report).anyMatch("FAULT: 2 records are lost"::equals));
    assertTrue(lines(report).noneMatch("FAULT: nothing"::equals));
    assertFalse(new ObjectMapper().readTree(report.json()).get("ok").booleanValue());
  }

  private static Stream<String> lines(Report report) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    report.print(new PrintStream(out, true, UTF_8));
    return out.toString(UTF_8).lines();
  }
}
