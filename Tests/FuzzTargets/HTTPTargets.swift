import HTTP
import Web

/// Runs a request parser like a connection does, with any division of the input into reads.
package struct ParserHarness {
  /// The parser under test.
  package var parser: RequestParser
  private var pending: [UInt8] = []
  /// The events, one per line; parts of a body are joined.
  package private(set) var events: [String] = []
  /// The parsed heads.
  package private(set) var heads: [RequestHead] = []
  /// The error of the parser.
  package private(set) var failure: HTTP1Error?

  /// Creates a harness with a new parser.
  package init(limits: HTTPLimits = HTTPLimits()) { parser = RequestParser(limits: Shared(limits)) }

  /// Passes the bytes of one read to the parser.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    guard failure == nil else { return }
    pending += bytes
    let input = pending
    var offset = 0
    do throws(HTTP1Error) {
      while let event = try parser.next(input.span, at: &offset) { note(event, input) }
    } catch {
      failure = error
      events.append("\(error)")
    }
    pending = Array(input[offset...])
  }

  private mutating func note(_ event: RequestParser.Event, _ input: [UInt8]) {
    switch event {
    case .head(let head, let connection):
      heads.append(head)
      events.append(
        "\(head.method.text) \(String(decoding: head.target, as: UTF8.self))"
          + (connection.keepsAlive ? "" : " close"))
    case .body(let range):
      // One character per byte: decoding as UTF-8 would replace parts of a split character.
      let text = String(String.UnicodeScalarView(input[range].map { Unicode.Scalar($0) }))
      if let last = events.last, last.hasPrefix("body ") {
        events[events.count - 1] = last + text
      } else {
        events.append("body " + text)
      }
    case .end: events.append("end")
    }
  }

  /// The events of a text passed in one read.
  package static func events(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [String] {
    var harness = ParserHarness(limits: limits)
    harness.feed(text.utf8)
    return harness.events
  }
}

/// Any bytes as a connection's input: the division into reads has no effect, a parsed head is the
/// same after it is written and parsed again, and a head that is found among repeated ones is the
/// same request.
package func fuzzRequestHead(_ bytes: [UInt8]) {
  var whole = ParserHarness()
  whole.feed(bytes)
  var divided = ParserHarness()
  var rest = bytes[...]
  var size = Int(bytes.first ?? 0) % 17 + 1
  while !rest.isEmpty {
    divided.feed(rest.prefix(size))
    rest = rest.dropFirst(size)
    size = size * 3 % 31 + 1
  }
  precondition(whole.events == divided.events, "the division into reads matters")
  checkRepetitions(whole.heads, divided.heads)
  for head in whole.heads {
    var written: [UInt8] = []
    HTTP1Serializer.write(head, framing: .none, into: &written)
    // HTTP/1.1 requires a host; a request of HTTP/1.0 may have none.
    guard head.fields.contains(.host) else { continue }
    var again = ParserHarness()
    again.feed(written)
    guard let copy = again.heads.first, again.failure == nil else {
      preconditionFailure("what was read can't be written")
    }
    var fields = head.fields
    for name in FieldName.allCases where name.isHopByHop { fields.remove(name) }
    fields.remove(.contentLength)
    var copied = copy.fields
    for name in FieldName.allCases where name.isHopByHop { copied.remove(name) }
    precondition(copy.method == head.method && copy.target == head.target, "another request")
    // The serialiser does not handle fields named by Connection, because a proxy removes them.
    guard !head.fields.contains(.connection) else { continue }
    precondition(copied == fields, "other fields")
  }
}

/// Equal bytes give identical heads with one hash, and identical heads are written alike.
private func checkRepetitions(_ heads: [RequestHead], _ again: [RequestHead]) {
  for (head, copy) in zip(heads, again) {
    precondition(copy.isIdentical(to: head), "a repetition is not found")
    precondition(copy.hash(seed: 1) == head.hash(seed: 1), "a repetition has another hash")
  }
  for (former, next) in zip(heads, heads.dropFirst()) where next.isIdentical(to: former) {
    precondition(next.hasBody == former.hasBody, "another body")
    var (one, other): ([UInt8], [UInt8]) = ([], [])
    HTTP1Serializer.write(former, framing: .none, into: &one)
    HTTP1Serializer.write(next, framing: .none, into: &other)
    precondition(one == other, "another request is found")
  }
}

/// Any bytes as a chunked body: the division into reads has no effect, the output is not longer
/// than the input, and it is the same after it is chunked and parsed again.
package func fuzzChunkedBody(_ bytes: [UInt8]) {
  let whole = decodeChunks([bytes[...]])
  let single = decodeChunks(bytes.indices.map { bytes[$0...$0] })
  precondition(whole.body == single.body && whole.isEnded == single.isEnded, "divided")
  precondition(whole.failure == single.failure, "divided errors")
  precondition(whole.body.count <= bytes.count, "grown")
  guard whole.isEnded else { return }
  var written: [UInt8] = []
  let half = whole.body.count / 2
  HTTP1Serializer.writeChunk(whole.body.span.extracting(0..<half), into: &written)
  HTTP1Serializer.writeChunk(whole.body.span.extracting(half..<whole.body.count), into: &written)
  HTTP1Serializer.writeLastChunk(into: &written)
  let again = decodeChunks([written[...]])
  precondition(again.isEnded && again.body == whole.body, "not the same again")
}

/// The content of a chunked body that is passed in these parts.
package func decodeChunks(
  _ parts: [ArraySlice<UInt8>]
) -> (body: [UInt8], isEnded: Bool, failure: HTTP1Error?) {
  var decoder = ChunkedDecoder(limits: Shared(HTTPLimits()))
  var body: [UInt8] = []
  for part in parts {
    let input = Array(part)
    var offset = 0
    do throws(HTTP1Error) {
      while let event = try decoder.next(input.span, at: &offset) {
        switch event {
        case .data(let range): body += input[range]
        case .end: return (body, true, nil)
        }
      }
    } catch {
      return (body, false, error)
    }
  }
  return (body, false, nil)
}
