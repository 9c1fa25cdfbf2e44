/// One point of a series coarser than raw (R15, R17).
package struct SeriesPoint: Hashable, Sendable {
  /// The beginning of the hour, day, week or month the point stands for.
  package let time: Timestamp
  /// Count, mean, minimum and maximum of its samples.
  package let moments: Moments
}

/// Gathers numbers in the order of their time into the points of a series.
package struct SeriesBuilder: Sendable {
  private var buckets: CalendarBuckets
  private var current: (bounds: Range<Timestamp>, moments: Moments)?
  private var points: [SeriesPoint] = []

  /// A series with a point for each stretch of `unit` that has a sample.
  package init(_ unit: CalendarUnit, rules: TimeZoneRules) {
    buckets = CalendarBuckets(unit, rules: rules)
  }

  /// Takes one number in; times never go back to an earlier stretch.
  package mutating func add(_ value: Double, at time: Timestamp) {
    var moments = open(time)
    moments.add(value)
    current?.moments = moments
  }

  /// Takes in the moments of samples that all lie in the stretch of `time`.
  package mutating func add(_ other: Moments, at time: Timestamp) {
    var moments = open(time)
    moments.merge(other)
    current?.moments = moments
  }

  /// The points so far, the oldest first.
  package consuming func finish() -> [SeriesPoint] {
    close()
    return points
  }

  private mutating func open(_ time: Timestamp) -> Moments {
    if let current, current.bounds.contains(time) { return current.moments }
    close()
    current = (buckets.bounds(around: time), Moments())
    return Moments()
  }

  private mutating func close() {
    guard let finished = current else { return }
    points.append(SeriesPoint(time: finished.bounds.lowerBound, moments: finished.moments))
    current = nil
  }
}
