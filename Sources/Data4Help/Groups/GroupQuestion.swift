import Domain
import EventLoop
import Services

/// Whom and what to count.
struct GroupQuestion: Sendable {
  let types: DataTypeSet
  let breakdown: GroupBreakdown?
  let search: [SearchParameter]
  /// Days counted from 1970-01-01.
  let period: ClosedRange<Int32>

  /// The conditions on means, by type.
  var means: [(type: DataType, comparison: SearchComparison, bound: Double)] {
    search.compactMap { parameter in
      guard case .mean(let type, let comparison, let bound) = parameter else { return nil }
      return (type, comparison, bound)
    }
  }

  /// The areas.
  var areas: [(centre: GeoPoint, radius: Double)] {
    search.compactMap { parameter in
      guard case .area(let centre, let radius) = parameter else { return nil }
      return (centre, radius)
    }
  }

  /// Whether it asks for places, nationality, occupation or diseases. They are not counted by yet,
  /// so nobody matches: a wider answer than was asked for would be worse (R29).
  private var asksForUncounted: Bool {
    search.contains { parameter in
      switch parameter {
      case .nationality, .place, .occupation, .disease: true
      case .age, .sex, .area, .mean: false
      }
    }
  }

  /// The sexes that all conditions allow.
  var sexes: [String] {
    if asksForUncounted { return [] }
    return ["F", "M"].filter { sex in
      search.allSatisfy { parameter in
        if case .sex(let wanted) = parameter { wanted == sex } else { true }
      }
    }
  }

  /// The birth dates that all conditions on the age allow on a day; an empty range where they
  /// contradict each other.
  func birthDates(on today: CalendarDate) -> (from: CalendarDate, to: CalendarDate) {
    var (youngest, oldest) = (SearchParameter.ages.lowerBound, SearchParameter.ages.upperBound)
    for case .age(let comparison, let years) in search {
      switch comparison {
      case .less: oldest = min(oldest, years - 1)
      case .atMost: oldest = min(oldest, years)
      case .equal: (youngest, oldest) = (max(youngest, years), min(oldest, years))
      case .atLeast: youngest = max(youngest, years)
      case .greater: youngest = max(youngest, years + 1)
      }
    }
    guard youngest <= oldest else { return (.last, .first) }
    return (
      Ages.lastBirthDate(ofAge: oldest + 1, on: today).adding(days: 1),
      Ages.lastBirthDate(ofAge: youngest, on: today)
    )
  }
}

extension GroupBreakdown {
  /// The number in the database; 0 stands for none.
  var stored: Int16 {
    switch self {
    case .ageBand: 1
    case .sex: 2
    case .region: 3
    }
  }

  /// The breakdown with this number.
  init?(stored: Int16) {
    guard let found = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
    self = found
  }

  /// The names of its parts, in the order of their numbers from 1 on.
  var parts: [String] {
    switch self {
    case .ageBand: AgeBand.all.map(\.description)
    case .sex: ["F", "M"]
    case .region: []
    }
  }
}
