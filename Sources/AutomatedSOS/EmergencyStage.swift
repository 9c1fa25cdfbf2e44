/// How far an emergency is. The raw values are stored, and are in the order in which stages may
/// follow each other.
public enum EmergencyStage: Int16, Hashable, Sendable, CaseIterable, Comparable {
  /// The person is warned.
  case suspected = 1
  /// The person was asked, since nothing confirmed it.
  case asked = 2
  /// A hospital is called at the end of the window.
  case confirmed = 3
  /// A hospital, or the emergency number, is called.
  case dispatched = 4
  /// A hospital has it.
  case acknowledged = 5
  /// The hospital has closed it.
  case closed = 6
  /// Readings were in bounds again before anybody was called.
  case withdrawn = 7
  /// The person aborted it before anybody was called.
  case aborted = 8
  /// The person reported a false alarm after somebody was called.
  case falseAlarm = 9
  /// A drill went to its end.
  case drillOver = 10
  /// Every call of a day was in vain.
  case unanswered = 11

  /// The name in the API.
  public var apiName: String {
    switch self {
    case .suspected: "suspected"
    case .asked: "asked"
    case .confirmed: "confirmed"
    case .dispatched: "dispatched"
    case .acknowledged: "acknowledged"
    case .closed: "closed"
    case .withdrawn: "withdrawn"
    case .aborted: "aborted"
    case .falseAlarm: "false alarm"
    case .drillOver: "drill over"
    case .unanswered: "unanswered"
    }
  }

  /// The stage with this name of the API; nil for no such name.
  public init?(apiName: String) {
    guard let stage = Self.allCases.first(where: { $0.apiName == apiName }) else { return nil }
    self = stage
  }

  /// Whether the left stage comes before the right one.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Whether nobody was called yet.
  public var isBeforeCall: Bool { self <= .confirmed }

  /// Whether no other stage follows.
  public var isOver: Bool { self >= .closed }
}
