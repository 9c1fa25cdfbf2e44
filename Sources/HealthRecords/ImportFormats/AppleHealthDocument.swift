import Domain
import Time
import XML

/// Maps the elements of Apple's `export.xml` (DAT-6): records become samples in the product's
/// units, everything else is skipped.
///
/// Only records directly under the root count: Apple repeats those of a correlation, such as both
/// values of a blood pressure, inside it. The time of a sample is the record's beginning.
/// of a blood pressure, a second time inside it. The moment of a sample is the record's beginning.
final class AppleHealthDocument: SampleDocument {
  var samples: [Sample] = []
  private(set) var skipped = SkippedRecords()
  let readsText = false
  private let now: Instant

  /// A document read at this server time.
  init(now: Instant) { self.now = now }

  func began(_ element: borrowing XMLElement, depth: Int) -> String? {
    switch depth {
    case 1 where !element.isNamed("HealthData"):
      return "The root element is not HealthData, so this is not an export of Apple Health."
    case 2 where element.isNamed("Record"):
      guard element.has(.type), element.has(.startDate) else {
        return "A Record has no type or no startDate."
      }
      if let sample = sample(of: element) { samples.append(sample) }
      return nil
    default: return nil
    }
  }

  func continued(_ text: Span<UInt8>) {}

  func ended(depth: Int) {}

  private func sample(of record: borrowing XMLElement) -> Sample? {
    guard let type = record.with(.type, { HealthKitMapping.dataType(of: $0) }) else {
      skip(record)
      return nil
    }
    do {
      let start = try record.with(.startDate) { (text) throws(InstantError) in
        try Instant(appleExport: text)
      }
      let value = try record.with(.value) { (value) throws in
        try record.with(.unit) { (unit) throws in
          try HealthKitMapping.value(value, unit: unit, hours: hours(of: record, start), of: type)
        }
      }
      // A record without a measured amount, such as time awake, is neither a sample nor skipped.
      guard let value else { return nil }
      return try Sample(type: type, time: start, value: value, now: now)
    } catch {
      skip(record)
      return nil
    }
  }

  /// The duration of a record; 0 if its end is missing or malformed.
  private func hours(of record: borrowing XMLElement, _ start: Instant) -> Double {
    guard record.has(.endDate), let end = record.with(.endDate, { try? Instant(appleExport: $0) })
    else { return 0 }
    return Double(end.millisecondsSince1970 - start.millisecondsSince1970) / 3_600_000
  }

  private func skip(_ record: borrowing XMLElement) {
    record.with(.type) { skipped.add($0) }
  }
}
