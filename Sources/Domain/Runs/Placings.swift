import Time

/// The ranking of a run's runners: finishers by time, then the others by distance, then by the time
/// at which they reached it (RUN-5). Equal runners share a rank, and the next rank counts all of
/// them.
///
/// Only runners who have started are ranked.
package struct Placings<Runner: Hashable & Comparable & Sendable>: Sendable {
  /// A runner's rank.
  package struct Rank: Hashable, Sendable {
    /// The runner.
    package let runner: Runner
    /// The rank, from 1.
    package let rank: Int32
  }

  /// The ranks in order; runners who share one are ordered by number.
  package let ranks: [Rank]

  /// Ranks runners by their progress.
  package init(of runners: [(runner: Runner, progress: RunnerProgress)]) {
    let ordered = runners.compactMap { entry in
      ProgressOrder(entry.progress).map { (runner: entry.runner, rank: $0) }
    }.sorted { ($0.rank, $0.runner) < ($1.rank, $1.runner) }
    var ranks: [Rank] = []
    ranks.reserveCapacity(ordered.count)
    for (index, entry) in ordered.enumerated() {
      let isShared = index > 0 && ordered[index - 1].rank == entry.rank
      let rank = isShared ? ranks[index - 1].rank : Int32(index + 1)
      ranks.append(Rank(runner: entry.runner, rank: rank))
    }
    self.ranks = ranks
  }
}

/// The sort key of a runner: the smaller one is ahead.
private struct ProgressOrder: Comparable {
  private let finishedAt: Instant
  private let metres: Double
  private let reachedAt: Instant

  /// The key of a progress; nil before the runner's start.
  init?(_ progress: RunnerProgress) {
    guard let reachedAt = progress.reachedAt else { return nil }
    finishedAt = progress.finishedAt ?? .lastWritable
    metres = progress.metres
    self.reachedAt = reachedAt
  }

  static func < (left: ProgressOrder, right: ProgressOrder) -> Bool {
    (left.finishedAt, -left.metres, left.reachedAt)
      < (right.finishedAt, -right.metres, right.reachedAt)
  }
}
