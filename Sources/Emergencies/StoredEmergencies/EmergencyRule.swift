import AutomatedSOS
import Domain
import Postgres

/// Stored in the column `stage`.
extension EmergencyStage: PostgresValue {}

/// The outcome of an emergency, as the hospital reports it; the raw value is that of the column.
enum EmergencyOutcome: Int16, PostgresValue, CaseIterable {
  case helped = 1
  case nobodyFound = 2
  case falseAlarm = 3
  case handedOver = 4

  /// The name in the API.
  var apiName: String {
    switch self {
    case .helped: "helped"
    case .nobodyFound: "nobody found"
    case .falseAlarm: "false alarm"
    case .handedOver: "handed over"
    }
  }

  /// The outcome of this name; nil for an unknown name.
  init?(apiName: String) {
    guard let outcome = Self.allCases.first(where: { $0.apiName == apiName }) else { return nil }
    self = outcome
  }
}

/// The rule that raised an emergency; the raw value is that of the column.
enum EmergencyRule: Int16, PostgresValue, CaseIterable {
  case drill = 0
  case heartRateLow = 1
  case heartRateHigh = 2
  case bloodPressureLow = 3
  case bloodPressureHigh = 4
  case fall = 5
  case shaking = 6
  case lossOfPulse = 7

  /// The name in the API.
  var apiName: String { detectorRule?.apiName ?? "drill" }

  /// The data types that its name discloses; none for a drill.
  var types: DataTypeSet {
    switch self {
    case .drill: .none
    case .heartRateLow, .heartRateHigh, .lossOfPulse: DataTypeSet([.heartRate])
    case .bloodPressureLow: DataTypeSet([.bloodPressureSystolic])
    case .bloodPressureHigh: DataTypeSet([.bloodPressureSystolic, .bloodPressureDiastolic])
    case .fall: DataTypeSet([.fall])
    case .shaking: DataTypeSet([.shaking])
    }
  }

  /// Text for a sentence of a mail or a call.
  func text(in language: EmergencyLanguage) -> String {
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
    case (.lossOfPulse, .italian): "battito cardiaco assente"
    case (.lossOfPulse, .english): "no pulse"
    }
  }
}
