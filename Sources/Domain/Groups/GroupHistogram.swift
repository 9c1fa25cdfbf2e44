/// The values of a group of people, one each, counted in 2,048 equal bins of the plausible range.
///
/// Counting takes constant memory, and percentiles are right to a bin, which is less than a
/// thousandth of the range.
package struct GroupHistogram: Sendable {
  /// Bins of the range.
  package static let binCount = 2_048

  private let coding: DayValueCode
  private var bins = [UInt32](repeating: 0, count: GroupHistogram.binCount)
  private var sum = 0.0
  private var squares = 0.0
  /// How many people were counted.
  package private(set) var people = 0

  /// Nobody yet.
  package init(_ coding: DayValueCode) { self.coding = coding }

  /// Counts a person's value, a mean of codes.
  package mutating func add(_ code: Double) {
    let offset = code - 1
    let bin = Int(offset / (DayValueCode.steps + 1) * Double(Self.binCount))
    bins[min(max(bin, 0), Self.binCount - 1)] += 1
    sum += offset
    squares += offset * offset
    people += 1
  }

  /// Takes in the people of another histogram of the same range.
  package mutating func add(_ other: GroupHistogram) {
    for index in bins.indices { bins[index] += other.bins[index] }
    sum += other.sum
    squares += other.squares
    people += other.people
  }

  /// What may be released of it; nil unless there are more people than the threshold (R28).
  ///
  /// - Parameter shownPeople: The number of people that is told; drawn where nil.
  package func released(
    with noise: ReleaseNoise, shownPeople: Int? = nil
  ) -> ReleasedStatistics? {
    guard GroupThreshold.allows(people) else { return nil }
    let count = Double(people)
    let told = shownPeople ?? GroupThreshold.released(people, with: noise)
    let influence = coding.width / count
    let mean = sum / count
    let variance = max(squares - sum * mean, 0) / (count - 1)
    let scale = coding.width / DayValueCode.steps
    let wholeMean = coding.range.lowerBound + mean * scale + noise.influences() * influence
    let deviation = variance.squareRoot() * scale + noise.influences() * influence
    let rounding = ReleaseRounding(rangeWidth: coding.width, toldPeople: told)
    let places = ReleaseRounding(atLeast: binWidth)
    return ReleasedStatistics(
      people: told,
      mean: rounding.round(coding.clamped(wholeMean)),
      standardDeviation: rounding.round(max(deviation, 0)),
      percentiles: [0.05, 0.25, 0.5, 0.75, 0.95].map {
        places.round(percentile($0, with: noise))
      },
      bins: releasedBins(places, with: noise))
  }

  private var binWidth: Double { coding.width / Double(Self.binCount) }

  /// The value that a share of the people lies below, to the bin, some people more or fewer.
  private func percentile(_ share: Double, with noise: ReleaseNoise) -> Double {
    let last = Double(people - 1)
    let rank = min(max(share * last + Double(noise.people()), 0), last)
    var passed = 0.0
    for (index, count) in bins.enumerated() where count > 0 {
      if passed + Double(count) > rank {
        let within = (rank - passed + 0.5) / Double(count)
        return edge(index) + min(within, 1) * binWidth
      }
      passed += Double(count)
    }
    return coding.range.upperBound
  }

  /// Where a bin begins.
  private func edge(_ bin: Int) -> Double {
    coding.range.lowerBound + Double(bin) * binWidth
  }

  /// Neighbouring bins taken together until each has more people than the threshold and a
  /// twentieth of all; the outer edges are those of the plausible range, so that nobody's extreme
  /// shows.
  private func releasedBins(
    _ places: ReleaseRounding, with noise: ReleaseNoise
  ) -> [ReleasedStatistics.Bin] {
    let least = max(GroupThreshold.people, people / 20)
    var ends: [(bin: Int, people: Int)] = []
    var waiting = 0
    var enough = least + abs(noise.people())
    for (index, count) in bins.enumerated() {
      waiting += Int(count)
      if waiting > enough {
        ends.append((index + 1, waiting))
        waiting = 0
        enough = least + abs(noise.people())
      }
    }
    let rest = ends.popLast()?.people ?? 0
    ends.append((Self.binCount, rest + waiting))
    var (from, left) = (coding.range.lowerBound, 100.0)
    return ends.map { end in
      let isLast = end.bin == Self.binCount
      let to = isLast ? coding.range.upperBound : places.round(edge(end.bin))
      let count = Double(max(end.people + noise.people(), 0)) / Double(people)
      let share = isLast ? left : min((count * 100).rounded(), left)
      left -= share
      defer { from = to }
      return ReleasedStatistics.Bin(from: from, to: to, share: share / 100)
    }
  }
}

/// What is released of one data type of a group; never a minimum or a maximum.
package struct ReleasedStatistics: Hashable, Sendable {
  /// A stretch of values and the share of the people whose value lies in it.
  package struct Bin: Hashable, Sendable {
    /// The lowest value.
    package let from: Double
    /// The value after the highest.
    package let to: Double
    /// The share of the people, to a hundredth.
    package let share: Double
  }

  /// A day of the series.
  package struct Day: Hashable, Sendable {
    /// The day, counted from 1970-01-01.
    package let day: Int32
    /// About how many people have a value on it, in tens: to a tenth of the whole.
    package let people: Int
    /// Their mean.
    package let mean: Double

    /// A day as it was released.
    package init(day: Int32, people: Int, mean: Double) {
      self.day = day
      self.people = people
      self.mean = mean
    }
  }

  /// About how many people, in tens.
  package let people: Int
  /// The mean of their means.
  package let mean: Double
  /// The standard deviation between people (n − 1).
  package let standardDeviation: Double
  /// The values below which 5, 25, 50, 75 and 95 % of the people lie.
  package let percentiles: [Double]
  /// The histogram.
  package let bins: [Bin]
}
