import Domain
import Time

/// The unsent samples of a device: at most one week of them, after which the oldest are dropped
/// (DAT-9).
package struct UnsentSamples: Equatable {
  /// How long unsent samples are kept, in milliseconds: one week.
  package static let keptMilliseconds: Int64 = 7 * 86_400_000
  /// The most samples: a week of three values per second.
  package static let countMax = 3 * 7 * 86_400
  /// The most samples of one upload, as limited by the service.
  package static let batchMax = 10_000
  /// The maximum size of the file, at 64 bytes per sample.
  static let bytesMax = countMax * 64

  /// The samples, oldest first.
  package private(set) var signs: [VitalSign] = []

  /// Starts without samples.
  package init() {}

  /// Adds new samples, and drops those more than a week older and those beyond the limit.
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

  /// The oldest samples, as many as fit into one upload.
  package var batch: ArraySlice<VitalSign> { signs.prefix(Self.batchMax) }

  /// Removes this number of the oldest samples, because they were stored.
  package mutating func removeOldest(_ count: Int) { signs.removeFirst(min(count, signs.count)) }
}

extension UnsentSamples {
  /// One line per sample: milliseconds since 1970, the data type and the value.
  package var text: String { Self.text(of: signs) }

  /// Formats samples as lines.
  static func text(of signs: some Sequence<VitalSign>) -> String {
    signs.map { "\($0.time.millisecondsSince1970) \($0.type.name) \($0.text)\n" }.joined()
  }

  /// Parses lines; skips an incomplete line, which a crash may leave.
  package init(text: some StringProtocol) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let milliseconds = Int64(parts[0]),
        let type = DataType(name: String(parts[1]).utf8Span.span),
        let value = try? SampleValue(judged: String(parts[2]).utf8Span.span, of: type)
      else { continue }
      let time = Instant(millisecondsSince1970: milliseconds)
      signs.append(VitalSign(type, value, at: time))
    }
  }
}
