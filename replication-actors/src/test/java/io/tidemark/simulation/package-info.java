/**
 * The whole system in virtual time, from one seed: the product's cores and logs, and around them a
 * network, disks, clocks and processes that fail. Start reading at {@link
 * io.tidemark.simulation.Simulation}.
 */
package io.tidemark.simulation;
