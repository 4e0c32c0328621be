package io.tidemark.quorum;

import java.util.List;
import java.util.UUID;

/**
 * Who this member is.
 *
 * @param self its id
 * @param directoryId of its disk, new when the disk is (KIP-853)
 * @param address where others reach it, as it stands in their voter addresses
 * @param voterAddresses of the voters that form the quorum, and who is asked for voters and leader
 */
public record QuorumMember(
    int self, UUID directoryId, String address, List<String> voterAddresses) {

  public QuorumMember {
    voterAddresses = List.copyOf(voterAddresses);
  }
}
