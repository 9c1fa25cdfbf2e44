import Domain

/// What the elements of Apple's `export.xml` are to us (DAT-6): records become samples in our
/// units, everything else is passed over.
///
/// Only records directly under the root count: Apple writes those of a correlation, as both values
/// of a blood pressure, a second time inside it. The moment of a sample is the record's beginning.
struct AppleHealthDocument {
  /// Samples read and not taken yet.
  private(set) var samples: [Sample] = []
  /// Records that are no sample of ours, by their type in the file.
  private(set) var skipped: [String: Int] = [:]
  private let now: Timestamp

  /// A document read at this time of the server.
  init(now: Timestamp) { self.now = now }

  /// Hands the samples read so far over.
  mutating func takeSamples() -> [Sample] {
    defer { samples = [] }
    return samples
  }

  /// Takes an element that begins at this depth, the root at 1; gives a sentence if the document is
  /// no export.
  mutating func began(_ element: borrowing XMLElement, depth: Int) -> String? {
    switch depth {
    case 1 where !element.isNamed("HealthData"):
      return "The root element is not HealthData, so this is no export of Apple Health."
    case 2 where element.isNamed("Record"):
      guard element.has(.type), element.has(.startDate) else {
        return "A Record has no type or no startDate."
      }
      if let sample = sample(of: element) { samples.append(sample) }
      return nil
    default: return nil
    }
  }

  private mutating func sample(of record: borrowing XMLElement) -> Sample? {
    guard let type = record.with(.type, { HealthKitMapping.dataType(of: $0) }) else {
      skip(record)
      return nil
    }
    do {
      let start = try record.with(.startDate) { (text) throws(TimestampError) in
        try Timestamp(appleExport: text)
      }
      let value = try record.with(.value) { (value) throws in
        try record.with(.unit) { (unit) throws in
          try HealthKitMapping.value(value, unit: unit, hours: hours(of: record, start), of: type)
        }
      }
      // A record that counts nothing, as time awake, is neither a sample nor skipped.
      guard let value else { return nil }
      return try Sample(type: type, time: start, value: value, now: now)
    } catch {
      skip(record)
      return nil
    }
  }

  /// How long a record lasted; what has no end in order lasted no time.
  private func hours(of record: borrowing XMLElement, _ start: Timestamp) -> Double {
    guard record.has(.endDate), let end = record.with(.endDate, { try? Timestamp(appleExport: $0) })
    else { return 0 }
    return Double(end.millisecondsSince1970 - start.millisecondsSince1970) / 3_600_000
  }

  private mutating func skip(_ record: borrowing XMLElement) {
    let name = record.with(.type) { Self.shown($0) }
    if skipped[name] != nil || skipped.count < ImportLimits.skippedTypesMax {
      skipped[name, default: 0] += 1
    } else {
      skipped[Self.other, default: 0] += 1
    }
  }

  private static let other = "other"

  /// A type as it is shown: an identifier of plain letters and digits, else `other`.
  private static func shown(_ type: Span<UInt8>) -> String {
    guard (1...128).contains(type.count) else { return other }
    var bytes: [UInt8] = []
    for index in type.indices {
      switch type[index] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: bytes.append(type[index])
      default: return other
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
