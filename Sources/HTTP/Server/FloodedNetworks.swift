import Time

/// The networks with a connection that was recently closed because of a flood.
package struct FloodedNetworks {
  /// How long a flood is remembered after its last connection was closed.
  package static let memory = Duration.seconds(10)
  /// Number of networks remembered; the oldest one is dropped first.
  package static let capacity = 1024

  private var ends: [PeerAddress: MonotonicInstant] = [:]

  /// Creates an empty list.
  package init() {}

  /// Records the peer's network, except for processes of this machine, which all share one address.
  package mutating func note(_ peer: PeerAddress, at now: MonotonicInstant) {
    guard peer != .unix else { return }
    if ends.count >= Self.capacity, ends[peer.network] == nil { makeRoom(at: now) }
    ends[peer.network] = now + Self.memory
  }

  /// Whether the peer's network is remembered.
  package func contains(_ peer: PeerAddress, at now: MonotonicInstant) -> Bool {
    ends[peer.network].map { $0 > now } ?? false
  }

  private mutating func makeRoom(at now: MonotonicInstant) {
    ends = ends.filter { $0.value > now }
    guard ends.count >= Self.capacity, let oldest = ends.min(by: { $0.value < $1.value }) else {
      return
    }
    ends[oldest.key] = nil
  }
}
