import Bytes
import EventLoop
import Synchronization

/// The identifier that traces a request through processes and logs.
package struct RequestID: Sendable, Hashable, CustomStringConvertible, LogSafe {
  let high: UInt64
  let low: UInt64

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
    guard digits.count == 32, let high = Self.half(digits, at: 0),
      let low = Self.half(digits, at: 16)
    else { return nil }
    self.high = high
    self.low = low
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
      Self.append(half: high, to: &output)
      Self.append(half: low, to: &output)
    }
    return text
  }

  /// The number of the 16 digits at `offset`; nil if one of them is not a lower-case digit.
  static func half(_ digits: Span<UInt8>, at offset: Int) -> UInt64? {
    guard let high = Hexadecimal.value(digits: digits.bigEndianWord(at: offset)),
      let low = Hexadecimal.value(digits: digits.bigEndianWord(at: offset + 8))
    else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// Appends the 16 digits of a number.
  static func append(half: UInt64, to output: inout OutputSpan<UInt8>) {
    output.append(bigEndian: Hexadecimal.digits(UInt32(truncatingIfNeeded: half >> 32)))
    output.append(bigEndian: Hexadecimal.digits(UInt32(truncatingIfNeeded: half)))
  }
}
