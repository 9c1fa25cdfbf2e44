import Bytes

/// The field `traceparent` of a request (W3C Trace Context, section 3.2): version, trace, parent
/// and flags, in lower-case hexadecimal digits with dashes between.
package struct TraceParent: Sendable, Equatable {
  /// The trace. A request that belongs to one has it as its identifier, in the logs of all
  /// processes.
  package let trace: RequestID
  /// Bit 0 tells whether the sender may have recorded the trace; it is passed on.
  package let flags: UInt8

  /// The bytes of version 0; later versions can have further parts.
  private static let count = 55
  private static let dash = UInt8(ascii: "-")

  /// Parses the value of a field; nil for the reserved version ff, a trace or a parent of zeros,
  /// and anything malformed: the request then begins a trace of its own.
  package init?(_ value: [UInt8]) {
    guard value.count >= Self.count,
      value[2] == Self.dash, value[35] == Self.dash, value[52] == Self.dash,
      let version = Self.byte(value[0..<2]), version != 0xFF,
      value.count == Self.count || (version > 0 && value[Self.count] == Self.dash),
      let trace = RequestID(value.span.extracting(3..<35)), trace != RequestID(high: 0, low: 0),
      Self.isParent(value[36..<52]), let flags = Self.byte(value[53..<55])
    else { return nil }
    self.trace = trace
    self.flags = flags
  }

  /// The value for the next process, whose parent is the second half of `parent`, a number that is
  /// unique in the trace.
  package func value(parent: RequestID) -> [UInt8] {
    var bytes = Array("00-".utf8)
    bytes.reserveCapacity(Self.count)
    bytes += trace.digits
    bytes.append(Self.dash)
    bytes += parent.digits.suffix(16)
    bytes.append(Self.dash)
    bytes.append(Hexadecimal.digit(flags >> 4))
    bytes.append(Hexadecimal.digit(flags & 15))
    return bytes
  }

  private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
    var byte = UInt8(0)
    for digit in digits {
      guard let value = Hexadecimal.value(digit) else { return nil }
      byte = byte << 4 | value
    }
    return byte
  }

  private static func isParent(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.allSatisfy { Hexadecimal.value($0) != nil }
      && digits.contains { $0 != UInt8(ascii: "0") }
  }
}
