import HTTP

/// Runs a request parser as a connection does, over any division of the input into reads.
struct ParserHarness {
  var parser: RequestParser
  private var pending: [UInt8] = []
  /// What happened, one line each; parts of a body are joined.
  private(set) var events: [String] = []
  private(set) var heads: [RequestHead] = []
  private(set) var failure: HTTP1Error?

  init(limits: HTTPLimits = HTTPLimits()) { parser = RequestParser(limits: limits) }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
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
      let text = String(decoding: input[range], as: UTF8.self)
      if let last = events.last, last.hasPrefix("body ") {
        events[events.count - 1] = last + text
      } else {
        events.append("body " + text)
      }
    case .end: events.append("end")
    }
  }

  /// The events of a text read at once.
  static func events(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [String] {
    var harness = ParserHarness(limits: limits)
    harness.feed(text.utf8)
    return harness.events
  }
}
