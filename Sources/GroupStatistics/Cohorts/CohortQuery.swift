import Domain

/// The people and the data to count.
struct CohortQuery: Sendable {
  let types: DataTypeSet
  let breakdown: GroupBreakdown?
  let search: [SearchParameter]
  let places: SearchedPlaces
  /// The first and last day, as days since 1970-01-01.
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

  /// The nationalities that match. A person has one.
  var nationalities: [String] {
    search.compactMap { if case .nationality(let code) = $0 { code } else { nil } }
  }

  /// The occupations that match. A person has one.
  var occupations: [String] {
    search.compactMap { if case .occupation(let one) = $0 { one.rawValue } else { nil } }
  }

  /// The diseases that are all required; a person may have several.
  var diseases: Set<ChronicDisease> {
    Set(search.compactMap { if case .disease(let one) = $0 { one } else { nil } })
  }

  /// The sexes that satisfy all conditions.
  var sexes: [String] {
    return ["F", "M"].filter { sex in
      search.allSatisfy { parameter in
        if case .sex(let wanted) = parameter { wanted == sex } else { true }
      }
    }
  }

  /// The birth dates that satisfy all conditions on the age on a day; an empty range where
  /// conditions contradict each other.
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
  /// The names of the breakdown's parts, in the order of their numbers, which begin at 1; `regions`
  /// are those of the reference data.
  func parts(regions: [String]) -> [String] {
    switch self {
    case .ageBand: AgeBand.all.map(\.description)
    case .sex: ["F", "M"]
    case .region: regions
    }
  }
}
