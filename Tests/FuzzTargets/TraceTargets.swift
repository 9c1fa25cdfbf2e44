import HTTP
import Operations

/// Any bytes as the field `traceparent`: a parsed trace has the text of its field, a refused field
/// violates W3C Trace Context, section 3.2, and a head without its traces is the same for all of
/// one length.
package func fuzzTraceParent(_ bytes: [UInt8]) {
  let parsed = TraceParent(bytes.span)
  precondition((parsed != nil) == isTrace(bytes), "the reader and the reference disagree")
  if let parsed {
    let written = text(of: parsed)
    precondition(written.count == TraceParent.bytes, "another length")
    precondition(written.prefix(3).elementsEqual("00-".utf8), "another version")
    precondition(written.dropFirst(3).elementsEqual(bytes[3..<TraceParent.bytes]), "changed")
    precondition(TraceParent(written.span) == parsed, "a trace reads differently from its text")
    precondition(parsed.trace.description.utf8.elementsEqual(bytes[3..<35]), "another trace")
    let next = parsed.following(RequestID(high: 1, low: 0xABCD))
    let passedOn = text(of: next)
    precondition(passedOn[..<36] == written[..<36], "another trace is passed on")
    precondition(passedOn[36..<52].elementsEqual("000000000000abcd".utf8), "another parent")
    precondition(passedOn[52...] == written[52...], "other flags are passed on")
  }
  checkTaken(bytes, parsed)
}

/// Taking the trace out of a head leaves no field and none of its bytes.
private func checkTaken(_ bytes: [UInt8], _ parsed: TraceParent?) {
  var head = headFields(with: [bytes])
  let taken = head.takeTrace()
  precondition(taken == parsed, "another trace is taken")
  precondition(head.count == 2 && !head.contains(.traceParent), "a trace is left")
  precondition(head[.accept] == "a" && head["x-a"] == "b", "other fields are changed")
  var other = headFields(with: [[UInt8](repeating: 0x30, count: bytes.count)])
  let zeros = other.takeTrace()
  precondition(zeros == nil, "zeros are a trace")
  precondition(head.isIdentical(to: other), "the trace is part of the head")
  var two = headFields(with: [bytes, bytes])
  let either = two.takeTrace()
  precondition(either == nil && two == head, "one of two traces is taken")
}

/// Fields with these values of `traceparent` between two others.
private func headFields(with values: [[UInt8]]) -> HTTPFields {
  var fields = HTTPFields()
  fields.append(.accept, "a")
  for value in values { fields.append(.traceParent, copying: value.span) }
  fields.append("x-a", "b")
  return fields
}

private func text(of trace: TraceParent) -> [UInt8] {
  var fields = HTTPFields()
  fields.append(trace)
  return fields.withValue(.traceParent) { Array(copying: $0) } ?? []
}

/// Whether a text is a trace, by its parts.
private func isTrace(_ bytes: [UInt8]) -> Bool {
  let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  guard parts.count >= 4 else { return false }
  for (part, count) in zip(parts, [2, 32, 16, 2]) {
    let digits = Array("0123456789abcdef".utf8)
    guard part.count == count, part.allSatisfy({ digits.contains($0) }) else { return false }
  }
  let zero = UInt8(ascii: "0")
  guard parts[1].contains(where: { $0 != zero }), parts[2].contains(where: { $0 != zero }) else {
    return false
  }
  if parts[0].elementsEqual("ff".utf8) { return false }
  return parts.count == 4 || !parts[0].elementsEqual("00".utf8)
}
