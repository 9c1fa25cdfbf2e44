import Cryptography
import Domain
import EventLoop
import Gateway
import HTTP
import Operations
import PublicAPI
import Time

private let root = RootSecret.random()
private let plans = EndpointPlans(PublicAPI.endpoints, metrics: Metrics())
private let token = TokenAuthority(root: root).issue(.session)

/// Heads of a client made from any bytes: most differ in a few fields only.
private struct ClientHeads {
  private static let targets = ["/auth/me", "/auth/mf", "/auth/me/"]
  private static let names = [
    "accept", "accept-language", "user-agent", "cookie", "authorization", "content-type", "x-a",
    "x-b", "if-none-match", "traceparent", "x-request-id", "x-trackme-account",
  ]
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next head; nil at the end of the bytes.
  ///
  /// The first byte has the method, the target and the number of fields. A field has a name, the
  /// length of its value, and the value.
  mutating func next() -> RequestHead? {
    guard let first = rest.popFirst() else { return nil }
    let target = Self.targets[Int(first >> 1) % Self.targets.count]
    var head = RequestHead(first & 1 == 0 ? .get : .post, target, authority: "trackme.example")
    if first & 1 == 1 {
      head.contentLength = UInt64(rest.popFirst() ?? 1) + 1
      head.hasBody = true
    }
    for _ in 0..<(first >> 4) {
      guard let number = rest.popFirst(), let length = rest.popFirst() else { break }
      let value = Array(rest.prefix(Int(length) % 128))
      rest = rest.dropFirst(value.count)
      let name = Self.names[Int(number) % Self.names.count]
      head.fields.append(name, name == "traceparent" ? Self.trace(value) : Self.visible(value))
    }
    return head
  }

  /// A trace of these bytes; it is malformed if the first one is odd.
  private static func trace(_ bytes: [UInt8]) -> String {
    let digits = bytes.prefix(15).map { String(($0 >> 4) % 10) }.joined()
    let filling = String(repeating: "1", count: 32 - digits.utf8.count)
    let version = (bytes.first ?? 0) & 1 == 0 ? "00" : "0x"
    return "\(version)-\(filling)\(digits)-00f067aa0ba902b7-01"
  }

  private static func visible(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.map { 0x21 + $0 % 94 }, as: UTF8.self)
  }
}

/// A server's side of an HTTP/2 connection in memory, which answers each request at once.
private final class HeadConnection: HTTP2SessionDelegate {
  /// The preface of a client, and its empty settings.
  static let opening =
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

  private let session: HTTP2Session
  private var stream: UInt32 = 1
  private var heads: [RequestHead] = []

  init(_ settings: HTTP2Settings) throws(HTTP2Error) {
    session = try HTTP2Session(role: .server, settings: settings)
    session.delegate = self
  }

  func received(_ head: consuming RequestHead, on stream: HTTP2Stream) {
    heads.append(head)
    stream.send(ResponseHead(.noContent), endStream: true)
  }

  /// The requests in these bytes.
  func receive(_ bytes: [UInt8]) throws(HTTP2Error) -> [RequestHead] {
    heads = []
    try session.receive(bytes.span, at: .zero)
    var output: [UInt8] = []
    while session.pullOutput(into: &output) {}
    return heads
  }

  /// The head as it is received on the next stream.
  func pass(_ head: RequestHead) throws(HTTP2Error) -> RequestHead? {
    var block: [UInt8] = []
    HPACKEncoder.append(head, to: &block)
    var frame: [UInt8] = []
    for shift in [16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: block.count >> shift)) }
    frame += [1, head.hasBody ? 4 : 5]
    for shift in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: stream >> shift)) }
    stream += 2
    return try receive(frame + block).first
  }

  /// Breaks the reference cycles of the session.
  func end() { session.connectionLost() }
}

/// Ignores the response.
private final class NoAnswer: ResponseHandler {
  func received(head: consuming ResponseHead) {}
  func received(body: Span<UInt8>) {}
  func receivedEnd() {}
  func failed(_ failure: StreamFailure) {}
  func drained() {}
}

/// The heads that the gateway remembers, and what it forwards for them.
private struct KnownRequests {
  private let memory = KnownHeads(seed: 1)
  private let phase = ForwardPhase(secret: InternalSecret(root: root))
  private let plan: EndpointPlan
  private var number: UInt64 = 0

  init() {
    guard case .plan(let plan) = plans.find(.get, Array("/auth/me".utf8)[...]) else {
      preconditionFailure("no endpoint")
    }
    self.plan = plan
  }

  /// A head that comes the third time is found unless it is too long, and is forwarded like the
  /// same head of another connection, which is read for the first time.
  mutating func check(_ head: RequestHead, _ afresh: RequestHead) throws(HTTP2Error) {
    checkSame(head, afresh)
    precondition(head.trace == afresh.trace, "another trace")
    var latest: KnownHead?
    for _ in 0..<3 {
      number += 1
      latest = nil
      switch memory.find(head) {
      case .known(let known): latest = known
      case .repeated(let hash): remember(head, hash)
      case .new: break
      }
    }
    let bytes = head.target.count + head.fields.byteCount
    precondition((latest != nil) == (bytes <= KnownHeads.bytesMax), "a repetition is not found")
    guard let latest else { return }
    checkSame(latest.head, afresh, hasLength: false)
    try checkForwarded(latest.prepared, afresh)
  }

  private func caller(_ head: RequestHead) -> ForwardPhase.Caller {
    let now = Instant(millisecondsSince1970: 1_773_000_000_000)
    let session = Session(
      account: AccountID(rawValue: 7), kind: .singleUser, expiresAt: now, lastUsedAt: now)
    return ForwardPhase.Caller(
      identity: (session, token.hash), address: Array("192.0.2.1".utf8), isSecure: true,
      requestID: id.digits, trace: head.trace?.following(id))
  }

  private var id: RequestID { RequestID(high: 1, low: number) }

  /// The head for the service, as it is written without a memory.
  private func rewritten(_ head: RequestHead) -> RequestHead {
    var head = head
    phase.rewrite(
      &head, authority: "data4help", caller: caller(head),
      bodyCount: Int(head.contentLength ?? 0), hidesToken: false)
    return head
  }

  private func remember(_ head: RequestHead, _ hash: UInt64) {
    let candidate = KnownHeads.Candidate(
      hash: hash, head: head, plan: plan, treatment: .ignore,
      token: KnownHeads.Token(text: [], isCookie: false))
    memory.remember(KnownHead(candidate, caller(head), PreparedHead(rewritten(head))))
  }

  /// The prepared request has the same fields, also when it is read by a service.
  private func checkForwarded(
    _ prepared: PreparedHead, _ afresh: RequestHead
  ) throws(HTTP2Error) {
    let expected = rewritten(afresh)
    let length = afresh.contentLength ?? 0
    let request = PreparedRequest(
      prepared, number: id.digits, trace: afresh.trace?.following(id), contentLength: length)
    compareForwarded(request.head, expected)
    let client = HTTP2ClientSession(on: EventLoop.manual())
    let service = try HeadConnection(.service)
    _ = client.send(request, endStream: length == 0, handler: NoAnswer())
    _ = client.send(expected, endStream: length == 0, handler: NoAnswer())
    var output: [UInt8] = []
    client.pullOutput(into: &output)
    let heads = try service.receive(output)
    client.connectionLost(.connectionLost)
    service.end()
    precondition(heads.count == 2, "the service refuses a request")
    compareForwarded(heads[0], heads[1])
    precondition(heads[0].trace == heads[1].trace, "another trace is forwarded")
  }

  private func compareForwarded(_ sent: RequestHead, _ expected: RequestHead) {
    var (one, other) = (sent, expected)
    for name in [FieldName.requestID, .traceParent] {
      precondition(one.fields.count(of: name) == other.fields.count(of: name), "\(name)")
      precondition(one.fields[name] == other.fields[name], "another \(name)")
      one.fields.remove(name)
      other.fields.remove(name)
    }
    checkSame(one, other)
  }

  private func checkSame(_ one: RequestHead, _ other: RequestHead, hasLength: Bool = true) {
    precondition(one.method == other.method && one.target == other.target, "another request")
    precondition(one.isSecure == other.isSecure, "another transport")
    precondition(one.hasBody == other.hasBody, "another body")
    precondition(one.fields == other.fields, "other fields")
    precondition(!hasLength || one.contentLength == other.contentLength, "another length")
  }
}

/// Heads of a client, which repeat and differ in a few fields: each is the same on a connection
/// that has read the others as on a new one, by HTTP/1.1 and HTTP/2, and one that the gateway
/// finds by its bytes is forwarded like one that it has never seen.
package func fuzzKnownHead(_ bytes: [UInt8]) {
  var source = ClientHeads(bytes)
  do throws(HTTP2Error) {
    var requests = KnownRequests()
    let shared = try HeadConnection(.public)
    _ = try shared.receive(HeadConnection.opening)
    // A limit of time: each head has connections of its own.
    for _ in 0..<32 {
      guard let sent = source.next() else { break }
      let parsed = parseAlone(sent)
      try requests.check(parsed, parsed)
      let alone = try HeadConnection(.public)
      _ = try alone.receive(HeadConnection.opening)
      let afresh = try alone.pass(sent)
      alone.end()
      guard let received = try shared.pass(sent), let afresh else {
        preconditionFailure("a head is refused")
      }
      try requests.check(received, afresh)
    }
    shared.end()
  } catch {
    preconditionFailure("no session: \(error)")
  }
}

/// The head as a new parser of HTTP/1.1 reads it.
private func parseAlone(_ sent: RequestHead) -> RequestHead {
  var written: [UInt8] = []
  var framing = HTTP1Serializer.BodyFraming.none
  if let length = sent.contentLength { framing = .length(length) }
  HTTP1Serializer.write(sent, framing: framing, into: &written)
  var harness = ParserHarness()
  harness.feed(written)
  guard let head = harness.heads.first else { preconditionFailure("a head is refused") }
  return head
}
