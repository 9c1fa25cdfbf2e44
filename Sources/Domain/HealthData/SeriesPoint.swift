import Time

/// One point of a series coarser than raw (R15, R17).
package struct SeriesPoint: Hashable, Sendable {
  /// The start of the hour, day, week or month of the point.
  package let time: Instant
  /// Count, mean, minimum and maximum of its samples.
  package let moments: StatisticalMoments
}

/// Aggregates numbers, given in order of time, to the points of a series.
package struct SeriesBuilder: Sendable {
  private var buckets: CalendarBuckets
  private var current: (bounds: Range<Instant>, moments: StatisticalMoments)?
  private var points: [SeriesPoint] = []

  /// Creates a series with a point for each `unit` that contains a sample.
  package init(_ unit: CalendarUnit, rules: TimeZoneRules) {
    buckets = CalendarBuckets(unit, rules: rules)
  }

  /// Adds a number; its time must not be in an earlier unit than the previous one.
  package mutating func add(_ value: Double, at time: Instant) {
    var moments = open(time)
    moments.add(value)
    current?.moments = moments
  }

  /// Adds the moments of samples that are all in the same unit as `time`.
  package mutating func add(_ other: StatisticalMoments, at time: Instant) {
    var moments = open(time)
    moments.merge(other)
    current?.moments = moments
  }

  /// The points so far, oldest first.
  package consuming func finish() -> [SeriesPoint] {
    close()
    return points
  }

  private mutating func open(_ time: Instant) -> StatisticalMoments {
    if let current, current.bounds.contains(time) { return current.moments }
    close()
    current = (buckets.bounds(around: time), StatisticalMoments())
    return StatisticalMoments()
  }

  private mutating func close() {
    guard let finished = current else { return }
    points.append(SeriesPoint(time: finished.bounds.lowerBound, moments: finished.moments))
    current = nil
  }
}
