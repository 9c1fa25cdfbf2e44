import AutomatedSOS
import Domain
import Time

/// A value that a phone measured, or an event that it detected, at one time.
package struct VitalSign: Hashable, Sendable {
  /// The data type.
  package let type: DataType
  /// The value, plausible for the type.
  package let value: SampleValue
  /// When it was measured.
  package let time: Instant

  /// Creates a vital sign from its parts.
  package init(_ type: DataType, _ value: SampleValue, at time: Instant) {
    (self.type, self.value, self.time) = (type, value, time)
  }

  /// Creates a vital sign with a numeric value.
  package init(_ type: DataType, _ number: Double, at time: Instant) {
    self.init(type, .number(number), at: time)
  }

  /// Whether it is an event detected by the device, unlike a periodic measurement.
  var isConclusion: Bool { type == .fall || type == .shaking }

  /// The value in the API's format.
  var text: String { value.text(of: type) }

  /// All data types that a phone measures, and for which a simulated one is paired.
  static let types: [DataType] = [
    .heartRate, .bloodPressureSystolic, .bloodPressureDiastolic, .fall, .shaking, .speed,
    .activity, .position,
  ]
}

/// A reading for the detector with its vital signs.
struct PhoneReading {
  let reading: Reading
  let signs: [VitalSign]

  /// The readings that a detector uses, sorted by time; both pressures of one time are one reading.
  static func all(in signs: [VitalSign]) -> [PhoneReading] {
    let systolic = signs.filter { $0.type == .bloodPressureSystolic }
    var readings: [PhoneReading] = []
    for sign in signs {
      var parts = [sign]
      if sign.type == .bloodPressureDiastolic {
        let upper = systolic.first { $0.time == sign.time }
        if let upper { parts.insert(upper, at: 0) }
      } else if sign.type == .bloodPressureSystolic {
        let isPaired = signs.contains {
          $0.type == .bloodPressureDiastolic && $0.time == sign.time
        }
        if isPaired { continue }
      }
      guard let measurement = measurement(parts) else { continue }
      let time = Moment(milliseconds: sign.time.millisecondsSince1970)
      readings.append(PhoneReading(reading: Reading(measurement, at: time), signs: parts))
    }
    return readings.sorted { $0.reading.time < $1.reading.time }
  }

  private static func measurement(_ signs: [VitalSign]) -> Measurement? {
    if signs.count == 2, let upper = signs[0].value.number, let lower = signs[1].value.number {
      return .bloodPressure(systolic: upper, diastolic: lower)
    }
    guard let sign = signs.first else { return nil }
    return switch (sign.type, sign.value) {
    case (.heartRate, .number(let rate)): .heartRate(rate)
    case (.bloodPressureSystolic, .number(let value)): .systolicPressure(value)
    case (.bloodPressureDiastolic, .number(let value)): .diastolicPressure(value)
    case (.speed, .number(let speed)): .speed(speed)
    case (.fall, .code): .fall
    case (.shaking, .code): .shaking
    case (.activity, .code): .exercise
    default: nil
    }
  }
}

extension Instant {
  /// The same time in the detector's type.
  var moment: Moment { Moment(milliseconds: millisecondsSince1970) }
}

extension Moment {
  /// The same time in the API's type.
  var instant: Instant { Instant(millisecondsSince1970: milliseconds) }
}
