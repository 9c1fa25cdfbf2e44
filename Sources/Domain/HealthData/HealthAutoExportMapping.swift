/// Maps metrics of Health Auto Export to data types (DAT-6).
///
/// The names are those of the app's JSON export; `HealthKitMapping` converts values and units.
/// `blood_pressure` contains two types and is handled separately.
package enum HealthAutoExportMapping {
  /// The metric whose points contain a systolic and a diastolic value.
  package static let bloodPressure = "blood_pressure"

  /// The data type of a metric; nil for metrics that are not imported.
  package static func dataType(of metric: String) -> DataType? {
    switch metric {
    case "heart_rate": .heartRate
    case "step_count": .steps
    case "active_energy": .activeEnergy
    case "basal_energy_burned": .restingEnergy
    case "dietary_energy": .nutritionEnergy
    case "walking_running_distance": .walkingRunningDistance
    case "blood_oxygen_saturation": .oxygenSaturation
    case "respiratory_rate": .respiratoryRate
    case "body_temperature": .bodyTemperature
    case "blood_glucose": .bloodGlucose
    case "weight_body_mass": .weight
    case "height": .height
    case "apple_stand_time", "apple_stand_hour": .standHours
    case "sleep_analysis": .sleepHours
    case "walking_speed", "running_speed": .speed
    default: nil
    }
  }
}
