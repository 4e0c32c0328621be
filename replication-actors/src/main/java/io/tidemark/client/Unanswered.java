package io.tidemark.client;

/** Nobody answered in time: what became of the request is not known. */
final class Unanswered extends RuntimeException {
  Unanswered(String message) {
    super(message);
  }
}
