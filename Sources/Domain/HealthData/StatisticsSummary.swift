/// The statistics in `/data/stats` of the numbers of one data type (R16).
///
/// Percentiles use linear interpolation as PostgreSQL's `percentile_cont`. Variance, standard
/// deviation and standard error are those of the sample (n − 1), nil for a single number.
package struct StatisticsSummary: Hashable, Sendable {
  /// Count, mean, spread and extremes.
  package let moments: StatisticalMoments
  /// Half of the numbers lie below.
  package let median: Double
  /// 5 % of the numbers lie below.
  package let p5: Double
  /// 25 % of the numbers lie below.
  package let p25: Double
  /// 75 % of the numbers lie below.
  package let p75: Double
  /// 95 % of the numbers lie below.
  package let p95: Double

  /// Whether there are fewer than two numbers, too few for a spread.
  package var tooFew: Bool { moments.count < 2 }

  /// The summary of finite numbers; nil for none.
  ///
  /// Takes linear time: a tally if the numbers are whole and close together, otherwise selection.
  /// The order of `values` is lost, so pass the only copy.
  package init?(of values: consuming [Double]) {
    guard !values.isEmpty else { return nil }
    let moments = StatisticalMoments(of: values.span)
    self.moments = moments
    let positions = Self.fractions.map { PercentilePosition($0, count: values.count) }
    let ordered =
      Tally(values, moments: moments)?.values(at: positions) ?? Self.selected(&values, positions)
    p5 = ordered[0]
    p25 = ordered[1]
    median = ordered[2]
    p75 = ordered[3]
    p95 = ordered[4]
  }

  private static let fractions = [0.05, 0.25, 0.5, 0.75, 0.95]

  private static func selected(_ values: inout [Double], _ positions: [PercentilePosition])
    -> [Double]
  {
    var ranks: [Int] = []
    for position in positions {
      for rank in [position.lower, position.upper] where ranks.last ?? -1 < rank {
        ranks.append(rank)
      }
    }
    Selection.select(&values, ranks: ranks)
    return positions.map { $0.interpolate(values[$0.lower], values[$0.upper]) }
  }
}

/// The position of a percentile among sorted numbers: between two of them, or on one.
struct PercentilePosition {
  let lower: Int
  let upper: Int
  private let share: Double

  init(_ fraction: Double, count: Int) {
    let rank = fraction * Double(count - 1)
    lower = Int(rank)
    share = rank - Double(lower)
    upper = min(share > 0 ? lower + 1 : lower, count - 1)
  }

  func interpolate(_ low: Double, _ high: Double) -> Double { low + share * (high - low) }
}

/// The frequency of each whole number, for values that are whole and close together, as heart
/// rates.
private struct Tally {
  private let lowest: Double
  private var counts: [UInt32]

  init?(_ values: borrowing [Double], moments: StatisticalMoments) {
    let width = moments.max - moments.min
    guard values.count >= 32, width < 4096, width <= Double(4 * values.count) else { return nil }
    lowest = moments.min
    counts = [UInt32](repeating: 0, count: Int(width) + 1)
    let span = values.span
    guard lowest.rounded() == lowest else { return nil }
    for index in span.indices {
      let offset = span[index] - lowest
      let whole = Int(offset)
      guard Double(whole) == offset else { return nil }
      counts[whole] += 1
    }
  }

  /// The interpolated numbers at positions in ascending order.
  func values(at positions: [PercentilePosition]) -> [Double] {
    var passed = 0
    var index = -1
    func value(_ rank: Int) -> Double {
      while passed <= rank {
        index += 1
        passed += Int(counts[index])
      }
      return lowest + Double(index)
    }
    return positions.map { position in
      // The lower rank of a position may be before the upper one of the previous position: search
      // again.
      if position.lower < passed - (index >= 0 ? Int(counts[index]) : 0) {
        passed = 0
        index = -1
      }
      let low = value(position.lower)
      return position.interpolate(low, value(position.upper))
    }
  }
}
