package io.tidemark.wire;

/** Small messages that nodes exchange; Jackson CBOR writes them. */
public interface ControlMessage {}
