import Bytes
import EventLoop
import Synchronization

/// The identifier that traces a request through processes and logs.
package struct RequestID: Sendable, Hashable, CustomStringConvertible, LogSafe {
  private let high: UInt64
  private let low: UInt64

  /// The identifier of these bits.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new identifier: a random half for each process, and a counter with a random start, without a
  /// system call. It only names a request; it is guessable and not a secret.
  package static func random() -> RequestID {
    let count = start.low &+ issued.wrappingAdd(1, ordering: .relaxed).newValue
    return RequestID(high: start.high, low: count)
  }

  private static let issued = Atomic<UInt64>(0)
  private static let start: RequestID = {
    let bytes = Environment.system.randomBytes(16)
    return RequestID(
      high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.suffix(8)))
  }()

  /// Parses 32 lower-case hexadecimal digits; `nil` for any other input.
  package init?(_ digits: Span<UInt8>) {
    guard digits.count == 32 else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for index in digits.indices {
      guard let value = Hexadecimal.value(digits[index]) else { return nil }
      halves.high = halves.high << 4 | halves.low >> 60
      halves.low = halves.low << 4 | UInt64(value)
    }
    (high, low) = halves
  }

  /// 32 lower-case hexadecimal digits.
  package var description: String {
    String(decoding: digits, as: UTF8.self)
  }

  /// 32 lower-case hexadecimal digits.
  package var logText: String { description }

  /// The 32 digits in ASCII.
  package var digits: [UInt8] {
    var text: [UInt8] = []
    text.append(addingCapacity: 32) { output in
      for part in 0..<4 {
        let half = part < 2 ? high : low
        let word = Hexadecimal.digits(UInt32(truncatingIfNeeded: part & 1 == 0 ? half >> 32 : half))
        for place in 0..<8 {
          output.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * place)))
        }
      }
    }
    return text
  }
}
