import Domain
import Time

/// The fields of a metric's point that were read so far.
struct HealthAutoExportPoint {
  private var date: Instant?
  private var start: Instant?
  private var quantity = Double.nan
  private var average = Double.nan
  private var systolic = Double.nan
  private(set) var diastolic = Double.nan
  private var totalSleep = Double.nan
  private var asleep = Double.nan
  /// Whether it has no measured amount, such as time awake.
  private(set) var isIdle = false

  /// The time of the measurement, or of its beginning.
  var time: Instant? { date ?? start }

  /// The value; NaN if there is none.
  var value: Double {
    for number in [quantity, average, systolic, totalSleep, asleep] where !number.isNaN {
      return number
    }
    return .nan
  }

  /// Reads a field with a text.
  mutating func take(_ text: String, _ name: String) {
    switch name {
    case "date": date = try? Instant(appleExport: text.utf8Span.span)
    case "startDate": start = try? Instant(appleExport: text.utf8Span.span)
    case "value": isIdle = text == "Awake" || text == "In Bed" || text == "InBed"
    default: break
    }
  }

  /// Reads a field with a number.
  mutating func take(_ number: Double, _ name: String) {
    switch name {
    case "qty": quantity = number
    case "Avg": average = number
    case "systolic": systolic = number
    case "diastolic": diastolic = number
    case "totalSleep": totalSleep = number
    case "asleep": asleep = number
    default: break
    }
  }
}

/// The fields of a metric that were read so far, with the points kept until its name and unit are
/// known.
struct HealthAutoExportMetric {
  var name: String?
  var units: String?
  private var parked: [Parked] = []

  /// A point in 24 bytes.
  private struct Parked {
    /// `Int64.min` for a point without a time.
    let time: Int64
    let value: Double
    let diastolic: Double
  }

  /// Whether points can be converted now.
  var isKnown: Bool { name != nil && units != nil }

  /// Keeps a point; false if there are too many.
  mutating func park(_ point: HealthAutoExportPoint) -> Bool {
    guard !point.isIdle else { return true }
    guard parked.count < ImportLimits.parkedPointsMax else { return false }
    parked.append(
      Parked(
        time: point.time?.millisecondsSince1970 ?? .min, value: point.value,
        diastolic: point.diastolic))
    return true
  }

  /// Converts the kept points to samples, and counts those that are none.
  mutating func release(
    into samples: inout [Sample], _ skipped: inout SkippedRecords, now: Instant
  ) {
    let name = name ?? ""
    defer { parked.removeAll(keepingCapacity: true) }
    if name == HealthAutoExportMapping.bloodPressure {
      for point in parked {
        let upper = sample(.bloodPressureSystolic, point.value, point, now)
        let lower = sample(.bloodPressureDiastolic, point.diastolic, point, now)
        if let upper, let lower, point.value > point.diastolic {
          samples += [upper, lower]
        } else {
          skipped.add(name.utf8Span.span)
        }
      }
      return
    }
    guard let type = HealthAutoExportMapping.dataType(of: name) else {
      if !parked.isEmpty { skipped.add(name.utf8Span.span, parked.count) }
      return
    }
    for point in parked {
      if let sample = sample(type, point.value, point, now) {
        samples.append(sample)
      } else {
        skipped.add(name.utf8Span.span)
      }
    }
  }

  private func sample(
    _ type: DataType, _ number: Double, _ point: Parked, _ now: Instant
  ) -> Sample? {
    guard point.time != .min, number.isFinite else { return nil }
    let units = units ?? ""
    guard let value = try? HealthKitMapping.value(number, unit: units.utf8Span.span, of: type)
    else { return nil }
    return try? Sample(
      type: type, time: Instant(millisecondsSince1970: point.time), value: value, now: now)
  }
}
