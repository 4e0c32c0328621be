package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TopicSearchTest {
  private static final long SECOND = 1_000_000_000;

  private final TopicSearch search = new TopicSearch(List.of("orders"));

  @Test
  void a_missing_topic_is_asked_for_and_complained_of_once() {
    assertEquals(List.of("orders"), search.due(0));
    search.described("orders", false);
    assertTrue(search.due(SECOND / 2).isEmpty());
    assertTrue(search.complaints(4 * SECOND).isEmpty());

    assertEquals(
        List.of("topic 'orders': there is no such topic; create it, or check the name"),
        search.complaints(5 * SECOND));
    assertTrue(search.complaints(6 * SECOND).isEmpty());
    assertEquals(List.of("orders"), search.due(6 * SECOND));
  }

  @Test
  void one_that_was_found_is_asked_for_no_more() {
    search.described("orders", true);

    assertTrue(search.due(SECOND).isEmpty());
    assertTrue(search.complaints(9 * SECOND).isEmpty());
  }

  @Test
  void silence_is_told_as_silence() {
    assertTrue(search.complaints(5 * SECOND).get(0).contains("no broker answers"));
  }
}
