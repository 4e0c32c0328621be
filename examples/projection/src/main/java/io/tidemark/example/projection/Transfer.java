package io.tidemark.example.projection;

/** What is written to the topic, as JSON, with the account as key; negative to take money out. */
public record Transfer(String account, long cents) {}
