import Domain
import Postgres

/// How far an emergency is; the raw value is that of the column.
enum EmergencyStage: Int16, PostgresValue, CaseIterable, Comparable {
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
  /// Readings were in bounds again before it was confirmed.
  case withdrawn = 7
  /// The person aborted it before anybody was called.
  case aborted = 8
  /// The person reported a false alarm after somebody was called.
  case falseAlarm = 9
  /// A drill went to its end.
  case drillOver = 10
  /// Nobody answered for a day.
  case unanswered = 11

  /// The word in the API.
  var word: String {
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

  /// In the order in which they may follow each other.
  static func < (one: EmergencyStage, other: EmergencyStage) -> Bool {
    one.rawValue < other.rawValue
  }

  /// Whether nobody was called yet.
  var isBeforeCall: Bool { self <= .confirmed }

  /// Whether nothing happens to it any more.
  var isOver: Bool { self >= .closed }
}

/// What came of an emergency, as the hospital says; the raw value is that of the column.
enum EmergencyOutcome: Int16, PostgresValue, CaseIterable {
  case helped = 1
  case nobodyFound = 2
  case falseAlarm = 3
  case handedOver = 4

  /// The word in the API.
  var word: String {
    switch self {
    case .helped: "helped"
    case .nobodyFound: "nobody found"
    case .falseAlarm: "false alarm"
    case .handedOver: "handed over"
    }
  }

  /// The outcome with this word; nil for no such word.
  init?(word: String) {
    guard let outcome = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = outcome
  }
}

/// What raised an emergency; the raw value is that of the column.
enum EmergencyRule: Int16, PostgresValue, CaseIterable {
  case drill = 0
  case heartRateLow = 1
  case heartRateHigh = 2
  case bloodPressureLow = 3
  case bloodPressureHigh = 4
  case fall = 5
  case shaking = 6

  /// The word in the API.
  var word: String {
    switch self {
    case .drill: "drill"
    case .heartRateLow: "heartRateLow"
    case .heartRateHigh: "heartRateHigh"
    case .bloodPressureLow: "bloodPressureLow"
    case .bloodPressureHigh: "bloodPressureHigh"
    case .fall: "fall"
    case .shaking: "shaking"
    }
  }

  /// In a sentence of a mail or a call.
  func words(in language: EmergencyLanguage) -> String {
    switch (self, language) {
    case (.drill, .italian): "esercitazione"
    case (.drill, .english): "drill"
    case (.heartRateLow, .italian): "frequenza cardiaca troppo bassa"
    case (.heartRateLow, .english): "heart rate too low"
    case (.heartRateHigh, .italian): "frequenza cardiaca troppo alta"
    case (.heartRateHigh, .english): "heart rate too high"
    case (.bloodPressureLow, .italian): "pressione troppo bassa"
    case (.bloodPressureLow, .english): "blood pressure too low"
    case (.bloodPressureHigh, .italian): "pressione troppo alta"
    case (.bloodPressureHigh, .english): "blood pressure too high"
    case (.fall, .italian): "caduta"
    case (.fall, .english): "a fall"
    case (.shaking, .italian): "tremore"
    case (.shaking, .english): "shaking"
    }
  }
}
