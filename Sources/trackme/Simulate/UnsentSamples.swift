import Domain

/// A heart rate that a device measured.
package struct Measurement: Hashable {
  /// When it was measured.
  package let millisecondsSince1970: Int64
  /// Beats a minute.
  package let rate: Int

  /// A measurement of these parts.
  package init(millisecondsSince1970: Int64, rate: Int) {
    self.millisecondsSince1970 = millisecondsSince1970
    self.rate = rate
  }

  var time: Timestamp { Timestamp(millisecondsSince1970: millisecondsSince1970) }
}

/// What a device has measured and not sent: a week of it at most, the oldest make way (DAT-9).
package struct UnsentSamples: Equatable {
  /// How long unsent samples are kept, in milliseconds: a week.
  package static let keptMilliseconds: Int64 = 7 * 86_400_000
  /// Bytes of the file at most: a week at one a second, of 20 bytes each.
  static let bytesMax = 7 * 86_400 * 20

  /// The measurements, oldest first.
  package private(set) var measurements: [Measurement] = []

  /// Nothing yet.
  package init() {}

  /// Adds what was just measured, and drops what is more than a week older.
  package mutating func add(_ measurement: Measurement) {
    let oldest = measurement.millisecondsSince1970 - Self.keptMilliseconds
    measurements.removeAll { $0.millisecondsSince1970 <= oldest }
    measurements.append(measurement)
  }

  /// The oldest, as many as one upload takes.
  package var batch: ArraySlice<Measurement> { measurements.prefix(10_000) }

  /// Forgets so many of the oldest: they were stored.
  package mutating func removeOldest(_ count: Int) { measurements.removeFirst(count) }
}

extension UnsentSamples {
  /// A line each: milliseconds since 1970 and beats a minute.
  package var text: String {
    measurements.map { "\($0.millisecondsSince1970) \($0.rate)\n" }.joined()
  }

  /// Reads lines; one that is not whole is left out, as after a crash.
  package init(text: some StringProtocol) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let time = Int64(parts[0]), let rate = Int(parts[1]) else { continue }
      measurements.append(Measurement(millisecondsSince1970: time, rate: rate))
    }
  }
}
