import Time

/// The start and end of a run.
package struct RunTimes: Hashable, Sendable {
  /// The start.
  package let startsAt: Instant
  /// The end, which is exclusive.
  package let endsAt: Instant

  /// Creates the times of a run; nil unless it ends after it starts (RUN-1).
  package init?(startsAt: Instant, endsAt: Instant) {
    guard startsAt < endsAt else { return nil }
    self.startsAt = startsAt
    self.endsAt = endsAt
  }

  /// Whether a moment is within the run.
  package func contains(_ time: Instant) -> Bool { startsAt <= time && time < endsAt }

  /// Whether the run has started.
  package func hasBegun(at time: Instant) -> Bool { startsAt <= time }

  /// Whether the run is over.
  package func isOver(at time: Instant) -> Bool { endsAt <= time }

  /// Whether the two runs share a moment: a runner cannot be enrolled in both (RUN-3).
  package func overlaps(_ other: RunTimes) -> Bool {
    startsAt < other.endsAt && other.startsAt < endsAt
  }
}
