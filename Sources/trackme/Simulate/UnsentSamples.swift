import Domain

/// What a device has measured and not sent: a week of it at most, the oldest make way (DAT-9).
package struct UnsentSamples: Equatable {
  /// How long unsent samples are kept, in milliseconds: a week.
  package static let keptMilliseconds: Int64 = 7 * 86_400_000
  /// How many are kept: a week of three values a second.
  package static let countMax = 3 * 7 * 86_400
  /// Samples of one upload at most, as the service takes them.
  package static let batchMax = 10_000
  /// Bytes of the file at most, of 64 bytes a sample.
  static let bytesMax = countMax * 64

  /// The samples, oldest first.
  package private(set) var signs: [VitalSign] = []

  /// Nothing yet.
  package init() {}

  /// Adds what was just measured, and drops what is more than a week older, or too much.
  ///
  /// - Returns: how many were dropped.
  @discardableResult
  package mutating func add(_ fresh: [VitalSign]) -> Int {
    signs += fresh
    guard let newest = signs.last?.time else { return 0 }
    let oldest = newest.adding(milliseconds: -Self.keptMilliseconds)
    let old = signs.firstIndex { $0.time > oldest } ?? signs.count
    let dropped = max(old, signs.count - Self.countMax)
    signs.removeFirst(dropped)
    return dropped
  }

  /// The oldest, as many as one upload takes.
  package var batch: ArraySlice<VitalSign> { signs.prefix(Self.batchMax) }

  /// Forgets so many of the oldest: they were stored.
  package mutating func removeOldest(_ count: Int) { signs.removeFirst(min(count, signs.count)) }
}

extension UnsentSamples {
  /// A line each: milliseconds since 1970, the data type and the value.
  package var text: String { Self.text(of: signs) }

  /// Lines of samples.
  static func text(of signs: some Sequence<VitalSign>) -> String {
    signs.map { "\($0.time.millisecondsSince1970) \($0.type.name) \($0.text)\n" }.joined()
  }

  /// Reads lines; one that is not whole is left out, as after a crash.
  package init(text: some StringProtocol) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let milliseconds = Int64(parts[0]),
        let type = DataType(name: String(parts[1]).utf8Span.span),
        let value = try? SampleValue(judged: String(parts[2]).utf8Span.span, of: type)
      else { continue }
      let time = Timestamp(millisecondsSince1970: milliseconds)
      signs.append(VitalSign(type, value, at: time))
    }
  }
}
