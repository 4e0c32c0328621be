package io.tidemark.projection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Start;
import io.tidemark.client.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredPositionTest {
  private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

  @ParameterizedTest
  @CsvSource({
    "41@3, 42, 3",
    "0@0, 1, 0",
    "41, 42, -1",
    "999999999999999999@999999999, 1000000000000000000, 999999999"
  })
  void reading_goes_on_behind_what_is_stored(String stored, long next, int lastEpoch) {
    StoredPosition position = StoredPosition.parse(PARTITION, stored);

    assertEquals(new Start.At(next, lastEpoch), position.next());
    assertEquals(stored, position.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "@",
        "41@",
        "@3",
        "-1@3",
        "41@-1",
        "41@3@3",
        "41 @3",
        "1e3",
        "９@3",
        "99999999999999999999"
      })
  void anything_else_is_refused_with_what_it_should_be(String stored) {
    IllegalArgumentException failure =
        assertThrows(IllegalArgumentException.class, () -> StoredPosition.parse(PARTITION, stored));

    assertTrue(failure.getMessage().contains("orders-0 is \"" + stored + "\""));
    assertTrue(failure.getMessage().contains("like 41@3"));
  }

  @Test
  void offsets_and_epochs_below_the_first_are_refused() {
    assertThrows(
        IllegalArgumentException.class, () -> TidemarkSourceProvider.offset(PARTITION, -1, 3));
    assertThrows(
        IllegalArgumentException.class, () -> TidemarkSourceProvider.offset(PARTITION, 41, -2));
  }
}
