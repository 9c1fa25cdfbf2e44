/// When a run begins and ends.
package struct RunTimes: Hashable, Sendable {
  /// When it begins.
  package let startsAt: Timestamp
  /// When it ends; that moment is no longer in it.
  package let endsAt: Timestamp

  /// The times of a run; nil unless it ends after it starts (RUN-1).
  package init?(startsAt: Timestamp, endsAt: Timestamp) {
    guard startsAt < endsAt else { return nil }
    self.startsAt = startsAt
    self.endsAt = endsAt
  }

  /// Whether a moment lies in it.
  package func contains(_ time: Timestamp) -> Bool { startsAt <= time && time < endsAt }

  /// Whether it has begun.
  package func hasBegun(at time: Timestamp) -> Bool { startsAt <= time }

  /// Whether it is over.
  package func isOver(at time: Timestamp) -> Bool { endsAt <= time }

  /// Whether some moment lies in both: nobody is enrolled in two runs that overlap (RUN-3).
  package func overlaps(_ other: RunTimes) -> Bool {
    startsAt < other.endsAt && other.startsAt < endsAt
  }
}
