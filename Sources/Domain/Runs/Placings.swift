/// The ranking of a run's runners: finishers by time, then the others by distance, then by the time
/// at which they reached it (RUN-5). Equal runners share a rank, and the next rank counts all of
/// them.
///
/// Only runners who have started are ranked.
package struct Placings<Runner: Hashable & Comparable & Sendable>: Sendable {
  /// A runner's rank.
  package struct Place: Hashable, Sendable {
    /// The runner.
    package let runner: Runner
    /// The rank, from 1.
    package let place: Int32
  }

  /// The ranks in order; runners who share one are ordered by number.
  package let places: [Place]

  /// Ranks runners by their progress.
  package init(of runners: [(runner: Runner, progress: RunnerProgress)]) {
    let ordered = runners.compactMap { entry in
      Rank(entry.progress).map { (runner: entry.runner, rank: $0) }
    }.sorted { ($0.rank, $0.runner) < ($1.rank, $1.runner) }
    var places: [Place] = []
    places.reserveCapacity(ordered.count)
    for (index, entry) in ordered.enumerated() {
      let isShared = index > 0 && ordered[index - 1].rank == entry.rank
      let place = isShared ? places[index - 1].place : Int32(index + 1)
      places.append(Place(runner: entry.runner, place: place))
    }
    self.places = places
  }
}

/// The sort key of a runner: the smaller one is ahead.
private struct Rank: Comparable {
  private let finishedAt: Timestamp
  private let metres: Double
  private let reachedAt: Timestamp

  /// The key of a progress; nil for a runner who has not started.
  init?(_ progress: RunnerProgress) {
    guard let reachedAt = progress.reachedAt else { return nil }
    finishedAt = progress.finishedAt ?? .last
    metres = progress.metres
    self.reachedAt = reachedAt
  }

  static func < (left: Rank, right: Rank) -> Bool {
    (left.finishedAt, -left.metres, left.reachedAt)
      < (right.finishedAt, -right.metres, right.reachedAt)
  }
}
