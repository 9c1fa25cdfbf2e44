import Bytes
import Operations

/// Rendezvous hashing (Thaler and Ravishankar, 1998): every gateway selects the same replica for an
/// account, and when a replica is lost, only its own accounts move.
package enum Rendezvous {
  /// A replica's key, from its address alone.
  package static func key(_ address: String) -> UInt64 { FNV1a.hash(address) }

  /// The weight of a replica for an account; the account belongs to the replica of the largest
  /// weight.
  package static func weight(_ replica: UInt64, _ account: Int64) -> UInt64 {
    SplitMix64.mixed(replica ^ (UInt64(bitPattern: account) &* SplitMix64.increment))
  }
}
