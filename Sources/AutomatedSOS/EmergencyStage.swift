/// The stage of an emergency. The raw values are stored, and are ordered as the stages may follow
/// each other.
public enum EmergencyStage: Int16, Hashable, Sendable, CaseIterable, Comparable {
  /// The person is warned.
  case suspected = 1
  /// The person was asked, because the emergency was not confirmed.
  case asked = 2
  /// A hospital is called at the end of the window.
  case confirmed = 3
  /// A hospital, or the emergency number, is called.
  case dispatched = 4
  /// A hospital has accepted it, or the message was heard at the emergency number.
  case acknowledged = 5
  /// The hospital has closed it.
  case closed = 6
  /// Readings were in bounds again before a call was made.
  case withdrawn = 7
  /// The person aborted it before a call was made.
  case aborted = 8
  /// The person reported a false alarm after a call was made.
  case falseAlarm = 9
  /// A drill was completed.
  case drillOver = 10
  /// No call was answered for a day.
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

  /// The stage with this API name; nil for an unknown name.
  public init?(apiName: String) {
    guard let stage = Self.allCases.first(where: { $0.apiName == apiName }) else { return nil }
    self = stage
  }

  /// Whether the left stage comes before the right one.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Whether no call has been made yet.
  public var isBeforeCall: Bool { self <= .confirmed }

  /// Whether no other stage follows.
  public var isOver: Bool { self >= .closed }
}
