/// The units in Apple's exports, and their conversion to ours.
enum HealthKitUnit {
  /// The factor and then the offset of the conversion; nil if the unit does not belong to the type.
  static func conversion(
    _ unit: Span<UInt8>, to type: DataType
  ) -> (factor: Double, offset: Double)? {
    for row in table(type) where unit.equals(row.unit) { return (row.factor, row.offset) }
    return nil
  }

  private struct Row {
    let unit: String
    let factor: Double
    let offset: Double

    init(_ unit: String, _ factor: Double = 1, _ offset: Double = 0) {
      self.unit = unit
      self.factor = factor
      self.offset = offset
    }
  }

  private static func table(_ type: DataType) -> [Row] {
    switch type {
    case .heartRate, .respiratoryRate: perMinute
    case .bloodPressureSystolic, .bloodPressureDiastolic: pressures
    case .oxygenSaturation: shares
    case .bodyTemperature: temperatures
    case .bloodGlucose: concentrations
    case .weight: masses
    case .height, .walkingRunningDistance: lengths
    case .steps: counts
    case .standHours: times + [Row("count")]
    case .sleepHours: times
    case .activeEnergy, .restingEnergy, .nutritionEnergy: energies
    case .speed: speeds
    case .ambientPressure: airPressures
    case .position, .activity, .fall, .shaking, .ecg: []
    }
  }

  private static let perMinute = [
    Row("count/min"), Row("bpm"), Row("BPM"), Row("count/s", 60), Row("/min"),
  ]
  // 1 kPa is 7.50061683 mmHg (conventional millimetre of mercury, 133.322 Pa).
  private static let pressures = [Row("mmHg"), Row("kPa", 7.50061683)]
  private static let shares = [Row("%")]
  private static let temperatures = [
    Row("degC"), Row("°C"), Row("degF", 5.0 / 9, -160.0 / 9), Row("°F", 5.0 / 9, -160.0 / 9),
    Row("K", 1, -273.15),
  ]
  // HealthKit's molar mass of blood glucose, 180.15588 g/mol.
  private static let concentrations = [
    Row("mg/dL"), Row("mmol/L", 18.015588), Row("mmol<180.15588000005408>/L", 18.015588),
    Row("g/L", 100),
  ]
  private static let masses = [
    Row("kg"), Row("g", 0.001), Row("lb", 0.45359237), Row("oz", 0.028349523125),
    Row("st", 6.35029318),
  ]
  private static let lengths = [
    Row("m"), Row("cm", 0.01), Row("mm", 0.001), Row("km", 1000), Row("in", 0.0254),
    Row("ft", 0.3048), Row("yd", 0.9144), Row("mi", 1609.344),
  ]
  private static let counts = [Row("count"), Row("steps")]
  private static let times = [
    Row("hr"), Row("h"), Row("min", 1.0 / 60), Row("s", 1.0 / 3600),
  ]
  // HealthKit's "Cal" is the large calorie; calories are thermochemical, 4184 J.
  private static let energies = [
    Row("kcal"), Row("Cal"), Row("kJ", 1 / 4.184), Row("cal", 0.001), Row("J", 1 / 4184.0),
  ]
  private static let speeds = [
    Row("m/s"), Row("km/hr", 1 / 3.6), Row("km/h", 1 / 3.6), Row("mi/hr", 0.44704),
    Row("mph", 0.44704), Row("ft/s", 0.3048),
  ]
  private static let airPressures = [
    Row("hPa"), Row("mbar"), Row("kPa", 10), Row("Pa", 0.01), Row("inHg", 33.86389),
    Row("mmHg", 1.33322387),
  ]
}
