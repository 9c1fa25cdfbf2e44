import EventLoop
import HTTP

/// Collects the decoded fields of a block.
package struct FieldCollector: HPACKSink {
  /// Names and values, in their order.
  package private(set) var fields: [([UInt8], [UInt8])] = []

  /// An empty list.
  package init() {}

  /// Adds an entry of the static table.
  package mutating func add(index: Int) {
    fields.append(
      (Self.bytes(HPACKStaticTable.name(index)), Self.bytes(HPACKStaticTable.value(index))))
  }

  /// Adds a name of the static table with a value.
  package mutating func add(index: Int, value: Span<UInt8>) {
    fields.append((Self.bytes(HPACKStaticTable.name(index)), [UInt8](copying: value)))
  }

  /// Adds a name and a value.
  package mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
    fields.append(([UInt8](copying: name), [UInt8](copying: value)))
  }

  private static func bytes(_ text: StaticString) -> [UInt8] { Array(text.description.utf8) }
}

/// Any bytes as a field block: decoding ends, the fields are not longer than Huffman's code and the
/// static table allow, and they are the same after they are written as literals and decoded again.
package func fuzzFieldBlock(_ bytes: [UInt8]) {
  var decoder = HPACKDecoder()
  var read = FieldCollector()
  do throws(HPACKError) {
    try decoder.decode(bytes.span, into: &read)
  } catch {
    return
  }
  let size = read.fields.reduce(0) { $0 + $1.0.count + $1.1.count }
  precondition(size <= 64 * bytes.count, "grown")
  var written: [UInt8] = []
  for (name, value) in read.fields {
    written.append(0)
    for text in [name, value] {
      HPACKEncoder.append(integer: text.count, bits: 7, 0, to: &written)
      written += text
    }
  }
  var again = FieldCollector()
  do throws(HPACKError) {
    try decoder.decode(written.span, into: &again)
  } catch {
    preconditionFailure("what was read can't be written")
  }
  precondition(read.fields.elementsEqual(again.fields, by: ==), "other fields")
}

/// Records the events of a request as text, and checks their order.
private final class EventLog: ResponseHandler {
  private(set) var events = ""
  private var hasHead = false
  private var isOver = false

  func received(head: consuming ResponseHead) {
    precondition(!hasHead && !isOver, "a second head")
    hasHead = true
    events += "\(head.status.code) \(head.contentLength.map { "\($0)" } ?? "-")"
    head.fields.forEach { _, name, value in
      events += " \(String(copying: name))=\(String(copying: value))"
    }
  }

  func received(body: Span<UInt8>) {
    precondition(hasHead && !isOver && !body.isEmpty, "a body outside a response")
    events += " \(body.count)"
  }

  func receivedEnd() {
    precondition(hasHead && !isOver, "a second end")
    isOver = true
    events += " end"
  }

  func failed(_ failure: StreamFailure) {
    precondition(!isOver, "a failure after the end")
    precondition(failure.progress == .responseBegun || !hasHead, "a begun response forgotten")
    isOver = true
    events += " \(failure)"
  }

  func drained() {}

  func finish() { precondition(isOver, "a request without an end") }
}

/// What a client made of a server's bytes.
private struct ClientOutcome: Equatable {
  var events: [String] = []
  var output: [UInt8] = []
}

/// Passes bytes to a client with three requests in progress, in pieces of `size` bytes.
private func answer(_ bytes: [UInt8], size: Int, dropsNumbers: Bool) -> ClientOutcome {
  let loop = EventLoop.manual()
  var settings = HTTP2Settings.internal
  settings.dropsNumbers = dropsNumbers
  let client = HTTP2ClientSession(on: loop, settings: settings)
  var post = RequestHead(.post, "/", authority: "a")
  post.hasBody = true
  let logs = [EventLog(), EventLog(), EventLog()]
  _ = client.send(RequestHead(.get, "/", authority: "a"), endStream: true, handler: logs[0])
  let stream = client.send(post, endStream: false, handler: logs[1])
  _ = client.send(RequestHead(.head, "/", authority: "a"), endStream: true, handler: logs[2])
  stream.send(body: [UInt8](repeating: 1, count: 100_000).span, endStream: false)
  var outcome = ClientOutcome()
  client.pullOutput(into: &outcome.output)
  client.reportEvents()
  outcome.output = []
  // Every connection begins with settings.
  client.receive([0, 0, 0, 4, 0, 0, 0, 0, 0].span)
  var rest = bytes[...]
  while !rest.isEmpty {
    let piece = Array(rest.prefix(size))
    client.receive(piece.span)
    rest = rest.dropFirst(size)
  }
  loop.runUntilIdle()
  client.pullOutput(into: &outcome.output)
  client.reportEvents()
  client.connectionLost(.connectionLost)
  precondition(client.streamCount == 0, "a stream is left")
  for log in logs { log.finish() }
  outcome.events = logs.map(\.events)
  return outcome
}

/// Any bytes as the frames of a server, to a client like that of the gateway and to one that keeps
/// the numbers of answers: the division into reads has no effect, and every request ends once.
package func fuzzServerFrames(_ bytes: [UInt8]) {
  for dropsNumbers in [false, true] {
    let whole = answer(bytes, size: max(1, bytes.count), dropsNumbers: dropsNumbers)
    let divided = answer(bytes, size: Int(bytes.first ?? 0) % 29 + 1, dropsNumbers: dropsNumbers)
    precondition(whole == divided, "the division into reads matters")
  }
}
