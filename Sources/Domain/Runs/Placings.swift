/// The order of a run's runners: who finished by time, then who is further, then who was that far
/// first (RUN-5). Who is equal in all of it shares a place, and the next one's counts both.
///
/// Only who has started has a place.
package struct Placings<Runner: Hashable & Comparable & Sendable>: Sendable {
  /// A runner's place.
  package struct Place: Hashable, Sendable {
    /// Who.
    package let runner: Runner
    /// The place, from 1.
    package let place: Int32
  }

  /// The places, the first one first; runners who share one by their number.
  package let places: [Place]

  /// The places of runners by their progress.
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

/// What decides between two runners: the smaller one is ahead.
private struct Rank: Comparable {
  private let finishedAt: Timestamp
  private let metres: Double
  private let reachedAt: Timestamp

  /// The rank of a progress; nil of who has not started.
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
