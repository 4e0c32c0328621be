package io.tidemark.example.orders;

/**
 * The answer to an order, and to no other: partition and offset name it.
 *
 * @param totalCents of all the customer's orders up to this one
 */
public record Receipt(int partition, long offset, String customer, long totalCents) {}
