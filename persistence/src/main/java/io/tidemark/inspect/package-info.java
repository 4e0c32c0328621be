/**
 * What lies in a storage directory, told without an actor system and without touching anything: the
 * log tools of the command line are made of this.
 *
 * <p>{@link io.tidemark.inspect.StorageInspection} is a directory, {@link
 * io.tidemark.inspect.LogReport} what was found of one persistence id.
 */
package io.tidemark.inspect;
