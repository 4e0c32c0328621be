package io.tidemark.example.orders;

/** What is written to the topic of orders, as JSON. */
public record Order(String customer, long cents) {}
