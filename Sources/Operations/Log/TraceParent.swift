import Bytes

/// The field `traceparent` of a request (W3C Trace Context, section 3.2): version, trace, parent
/// and flags, in lower-case hexadecimal digits with dashes between.
package struct TraceParent: Sendable, Equatable {
  /// The number of bytes of its text in version 0; later versions can have further parts.
  package static let bytes = 55

  /// The trace. A request that belongs to one has it as its identifier, in the logs of all
  /// processes.
  package let trace: RequestID
  /// The sender's part of the trace.
  private let parent: UInt64
  /// Bit 0 tells whether the sender may have recorded the trace; it is passed on.
  package let flags: UInt8

  private static let dash = UInt8(ascii: "-")

  private init(trace: RequestID, parent: UInt64, flags: UInt8) {
    self.trace = trace
    self.parent = parent
    self.flags = flags
  }

  /// Parses the value of a field; nil for the reserved version ff, a trace or a parent of zeros,
  /// and anything malformed: the request then begins a trace of its own.
  package init?(_ value: Span<UInt8>) {
    guard value.count >= Self.bytes,
      value[2] == Self.dash, value[35] == Self.dash, value[52] == Self.dash,
      let version = Self.byte(value, at: 0), version != 0xFF,
      value.count == Self.bytes || (version > 0 && value[Self.bytes] == Self.dash),
      let trace = RequestID(value.extracting(3..<35)), trace != RequestID(high: 0, low: 0),
      let parent = RequestID.half(value, at: 36), parent != 0,
      let flags = Self.byte(value, at: 53)
    else { return nil }
    self.init(trace: trace, parent: parent, flags: flags)
  }

  /// The field for the next process, whose parent is the second half of `parent`, a number that is
  /// unique in the trace.
  package func following(_ parent: RequestID) -> TraceParent {
    TraceParent(trace: trace, parent: parent.low, flags: flags)
  }

  /// Appends the text in version 0; the program stops if there is no room for it.
  package func append(to output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "0"))
    output.append(UInt8(ascii: "0"))
    output.append(Self.dash)
    RequestID.append(half: trace.high, to: &output)
    RequestID.append(half: trace.low, to: &output)
    output.append(Self.dash)
    RequestID.append(half: parent, to: &output)
    output.append(Self.dash)
    output.append(Hexadecimal.digit(flags >> 4))
    output.append(Hexadecimal.digit(flags & 15))
  }

  private static func byte(_ digits: Span<UInt8>, at offset: Int) -> UInt8? {
    guard let high = Hexadecimal.value(digits[offset]),
      let low = Hexadecimal.value(digits[offset + 1])
    else { return nil }
    return high << 4 | low
  }
}
