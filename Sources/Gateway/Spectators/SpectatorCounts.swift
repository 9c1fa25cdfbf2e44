import HTTP
import Time

/// The spectators who poll runs through one loop. Confined to its loop.
package final class SpectatorCounts {
  /// The largest number of runs counted at the same time; each takes 16 kB.
  package static let runsMax = 256

  private let key: SpectatorKey
  private var estimates: [PolledRun: PollingEstimate] = [:]

  /// Creates empty counts; all loops use the same key.
  package init(_ key: SpectatorKey) { self.key = key }

  /// Counts an answered poll. Beyond `runsMax`, the run whose last poll is the oldest is dropped.
  package func note(_ run: PolledRun, from peer: PeerAddress, at now: MonotonicInstant) {
    let slot = key.slot(of: BucketKey(peer), at: now)
    if estimates[run]?.hit(slot, at: now) != nil { return }
    if estimates.count >= Self.runsMax,
      let idle = estimates.min(by: { $0.value.lastHitAt < $1.value.lastHitAt })
    {
      estimates[idle.key] = nil
    }
    var estimate = PollingEstimate()
    estimate.hit(slot, at: now)
    estimates[run] = estimate
  }

  /// The estimates of the runs that were polled within the window; drops the others.
  package func current(at now: MonotonicInstant) -> [PolledRun: PollingEstimate] {
    estimates = estimates.filter { !$0.value.isIdle(at: now) }
    return estimates
  }
}
