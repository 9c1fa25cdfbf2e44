/// One value with noise for each person of a group: the sum of their levels, and the number of
/// people in each of the eight equal bins of the range that groups count.
///
/// Everything released is computed from these nine numbers and the number of people.
package struct GroupHistogram: Sendable {
  private let coding: DayValueCode
  private let binDeviation: Double
  /// Whether the people were selected by their levels, so that the levels no longer average 0.
  let isChosenByLevel: Bool
  /// The bin counts without the last `recentCount` people.
  private var earlier = SIMD8<Int32>()
  private var recentCount = 0
  /// The sum of the recent people's draws, in lanes of the draws' width.
  private var recentDraws = SIMD8<Int16>()
  /// The recent people's bin counts: 16 bits each, four in a word, lowest first.
  private var recentBins = (UInt64(0), UInt64(0))
  private var sum = 0.0
  /// The number of people counted.
  package private(set) var people = 0

  /// Creates an empty histogram.
  package init(_ coding: DayValueCode, _ noise: PersonNoise, isChosenByLevel: Bool = false) {
    self.coding = coding
    binDeviation = noise.isSilent ? 0 : PersonNoise.binDeviation
    self.isChosenByLevel = isChosenByLevel && !noise.isSilent
  }

  /// Counts a person: the mean of the steps with the level, the bin of the mean, and the draws for
  /// all bins.
  package mutating func add(_ level: Double, bin: Int, draws: SIMD8<Int16>) {
    recentDraws &+= draws
    // Indexing a vector lane by a variable would go through memory.
    let one: UInt64 = 1 << UInt64(truncatingIfNeeded: (bin & 3) * 16)
    recentBins.0 &+= bin < 4 ? one : 0
    recentBins.1 &+= bin < 4 ? 0 : one
    recentCount &+= 1
    sum += level - 1
    people += 1
    // A draw is at most 5.
    if recentCount == 4_096 { flushRecent() }
  }

  private var bins: SIMD8<Int32> {
    var bins = earlier &+ SIMD8<Int32>(truncatingIfNeeded: recentDraws)
    for bin in 0..<4 {
      bins[bin] &+= Int32(recentBins.0 >> UInt64(16 * bin) & 0xFFFF)
      bins[bin + 4] &+= Int32(recentBins.1 >> UInt64(16 * bin) & 0xFFFF)
    }
    return bins
  }

  private mutating func flushRecent() {
    (earlier, recentCount, recentDraws, recentBins) = (bins, 0, .zero, (0, 0))
  }

  /// Adds the people of another histogram of the same range.
  package mutating func add(_ other: GroupHistogram) {
    flushRecent()
    earlier &+= other.bins
    sum += other.sum
    people += other.people
  }

  /// The releasable statistics; nil unless there are more people than the threshold (R28).
  ///
  /// - Parameter shownPeople: The number of people to show; drawn where nil.
  package func released(
    with noise: ReleaseNoise, shownPeople: Int? = nil
  ) -> ReleasedStatistics? {
    guard GroupThreshold.allows(people) else { return nil }
    let released = shownPeople ?? GroupThreshold.released(people, with: noise)
    let shares = shares(with: noise)
    let middles = shares.indices.map { coding.middle(ofBin: $0) }
    let meanOfBins = zip(shares, middles).reduce(0) { $0 + $1.0 * $1.1 }
    let variance = zip(shares, middles).reduce(0) {
      $0 + $1.0 * ($1.1 - meanOfBins) * ($1.1 - meanOfBins)
    }
    let mean =
      isChosenByLevel ? meanOfBins : coding.value(ofStep: 1 + sum / Double(people))
    let noisyMean = mean + noise.influences() * coding.width / Double(people)
    let rounding = ReleaseRounding(rangeWidth: coding.width, releasedPeople: released)
    let places = ReleaseRounding(atLeast: coding.width / 1_000)
    return ReleasedStatistics(
      people: released,
      mean: rounding.round(coding.clamped(noisyMean)),
      standardDeviation: rounding.round(variance.squareRoot()),
      percentiles: [0.05, 0.25, 0.5, 0.75, 0.95].map { places.round(percentile($0, of: shares)) },
      bins: releasedBins(shares, places))
  }

  /// The shares of the people in the bins: the nearest to the noisy ones that are not negative and
  /// add up to 1.
  package func shares(with noise: ReleaseNoise) -> [Double] {
    let noisy = (0..<DayValueCode.binCount).map {
      Double(Int(bins[$0]) + noise.people()) / Double(people)
    }
    // The projection onto the simplex (Held, Wolfe and Crowder, 1974): the same amount is
    // subtracted from every share so that the positive ones add up to 1.
    var (sum, excess) = (0.0, 0.0)
    for (index, share) in noisy.sorted(by: >).enumerated() {
      sum += share
      let taken = (sum - 1) / Double(index + 1)
      if share > taken { excess = taken }
    }
    return noisy.map { max($0 - excess, 0) }
  }

  /// The value below which a share of the people lies, assuming an even distribution within each
  /// bin.
  private func percentile(_ share: Double, of shares: [Double]) -> Double {
    var passed = 0.0
    for (bin, width) in shares.enumerated() where width > 0 {
      if passed + width >= share {
        return edge(bin) + (share - passed) / width * coding.binWidth
      }
      passed += width
    }
    return coding.range.upperBound
  }

  /// The lower edge of a bin.
  private func edge(_ bin: Int) -> Double {
    coding.range.lowerBound + Double(bin) * coding.binWidth
  }

  /// Merges neighbouring bins until each has more people than the threshold and than a twentieth of
  /// all. The decision uses the noisy shares, so that the edges reveal nothing else, with a margin
  /// of three standard deviations of their noise, so that the true counts exceed the threshold.
  private func releasedBins(
    _ shares: [Double], _ places: ReleaseRounding
  ) -> [ReleasedStatistics.Bin] {
    let count = Double(people)
    var ends: [(bin: Int, share: Double)] = []
    var (waiting, bins) = (0.0, 0.0)
    for (bin, share) in shares.enumerated() {
      waiting += share
      bins += 1
      let margin = 3 * binDeviation * (bins * count).squareRoot()
      if waiting * count > max(Double(GroupThreshold.people) + margin, count / 20) + 0.5 {
        ends.append((bin + 1, waiting))
        (waiting, bins) = (0, 0)
      }
    }
    let rest = ends.popLast()?.share ?? 0
    ends.append((DayValueCode.binCount, rest + waiting))
    var (from, left) = (coding.range.lowerBound, 1_000.0)
    return ends.map { end in
      let isLast = end.bin == DayValueCode.binCount
      let to = isLast ? coding.range.upperBound : places.round(edge(end.bin))
      let share = isLast ? left : min((end.share * 1_000).rounded(), left)
      left -= share
      defer { from = to }
      return ReleasedStatistics.Bin(from: from, to: to, share: share / 1_000)
    }
  }
}

/// The released statistics of one data type of a group; never a minimum or a maximum.
package struct ReleasedStatistics: Hashable, Sendable {
  /// An interval of values and the share of the people in it.
  package struct Bin: Hashable, Sendable {
    /// The lowest value, included.
    package let from: Double
    /// The upper end, excluded.
    package let to: Double
    /// The share of the people, to a thousandth.
    package let share: Double
  }

  /// A day of the series.
  package struct Day: Hashable, Sendable {
    /// The day, counted from 1970-01-01.
    package let day: Int32
    /// The approximate number of people with a value on the day, in tens: to a tenth of the whole.
    package let people: Int
    /// Their mean.
    package let mean: Double

    /// Creates a released day.
    package init(day: Int32, people: Int, mean: Double) {
      self.day = day
      self.people = people
      self.mean = mean
    }
  }

  /// The approximate number of people, in tens.
  package let people: Int
  /// The mean of the people's means.
  package let mean: Double
  /// The standard deviation between people (n − 1).
  package let standardDeviation: Double
  /// The values below which 5, 25, 50, 75 and 95 % of the people are.
  package let percentiles: [Double]
  /// The histogram.
  package let bins: [Bin]
}
