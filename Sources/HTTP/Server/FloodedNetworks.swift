import EventLoop

/// The networks from which a connection was cut off for a flood a moment ago.
package struct FloodedNetworks {
  /// How long a flood is remembered after its last connection was cut off.
  package static let memory = Duration.seconds(10)
  /// Networks that are remembered; beyond that the oldest one is forgotten.
  package static let capacity = 1024

  private var ends: [PeerAddress: MonotonicInstant] = [:]

  /// No network.
  package init() {}

  /// Remembers the peer's network. Other processes of this machine share one address, so they are
  /// never remembered.
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
