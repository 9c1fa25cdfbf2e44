/// Count, sum, spread and extremes of numbers, computed in one pass and mergeable.
///
/// The spread is stored as the sum of squared deviations from the mean, not as a sum of squares, to
/// avoid cancellation (Welford 1962; merging by Chan, Golub and LeVeque 1979).
package struct StatisticalMoments: Hashable, Sendable {
  /// The number of values.
  package private(set) var count: Int
  /// Their sum.
  package private(set) var sum: Double
  /// The sum of the squares of their differences from their mean.
  package private(set) var squaredDeviations: Double
  /// The smallest value; infinity if there is none.
  package private(set) var min: Double
  /// The largest value; minus infinity if there is none.
  package private(set) var max: Double

  /// Creates the moments of no numbers.
  package init() {
    self.init(count: 0, sum: 0, squaredDeviations: 0, min: .infinity, max: -.infinity)
  }

  /// Creates moments from stored values.
  package init(count: Int, sum: Double, squaredDeviations: Double, min: Double, max: Double) {
    self.count = count
    self.sum = sum
    self.squaredDeviations = squaredDeviations
    self.min = min
    self.max = max
  }

  /// Computes the moments of these numbers in two passes, which is the fastest and most exact
  /// method.
  package init(of values: Span<Double>) {
    self.init()
    guard !values.isEmpty else { return }
    for index in values.indices {
      let value = values[index]
      sum += value
      min = value < min ? value : min
      max = value > max ? value : max
    }
    count = values.count
    let mean = sum / Double(count)
    for index in values.indices {
      let deviation = values[index] - mean
      squaredDeviations += deviation * deviation
    }
  }

  /// Adds a number.
  package mutating func add(_ value: Double) {
    let before = value - mean
    count += 1
    sum += value
    squaredDeviations += before * (value - mean)
    min = value < min ? value : min
    max = value > max ? value : max
  }

  /// Adds all numbers of a different value.
  package mutating func merge(_ other: StatisticalMoments) {
    guard other.count > 0 else { return }
    guard count > 0 else {
      self = other
      return
    }
    let difference = other.mean - mean
    let total = Double(count + other.count)
    squaredDeviations +=
      other.squaredDeviations
      + difference * difference * (Double(count) * Double(other.count) / total)
    count += other.count
    sum += other.sum
    min = Swift.min(min, other.min)
    max = Swift.max(max, other.max)
  }

  /// The mean; 0 for no numbers.
  package var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// The sample variance (n − 1); nil for fewer than two numbers.
  package var variance: Double? {
    count < 2 ? nil : Swift.max(squaredDeviations, 0) / Double(count - 1)
  }

  /// The sample standard deviation; nil for fewer than two numbers.
  package var standardDeviation: Double? { variance?.squareRoot() }

  /// The standard error of the mean; nil for fewer than two numbers.
  package var standardError: Double? {
    standardDeviation.map { $0 / Double(count).squareRoot() }
  }
}
