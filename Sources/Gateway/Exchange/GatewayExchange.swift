import Cryptography
import EventLoop
import HTTP
import Operations
import PublicAPI
import Time
import Web

/// One request on its way through the phases, from its head to the end of its response. Everything
/// happens on its connection's loop, without blocking. Where a phase must wait (for the body, a
/// token look-up or a replica), a later callback resumes the exchange.
final class GatewayExchange: RequestHandler {
  // The fields that send the request and relay its response come first, to share few cache lines:
  // thousands of requests may wait.
  let context: LoopContext
  var stream: (any ServerStream)?
  /// The endpoint; nil before it is known, and for unknown paths.
  var plan: EndpointPlan?
  /// The head that is sent to the replica, if it was sent before; `head` is nil in that case.
  var prepared: PreparedHead?
  var attempts = UpstreamAttempts()
  private(set) var requestDigits: [UInt8] = []
  private let started: MonotonicInstant
  /// Whether the client uses TLS.
  private(set) var isSecure = false
  /// Whether the path is that of a web page or of a file of it.
  var isPage = false
  /// Whether the request carries its token where it must be neither forwarded nor cached.
  var showsToken = false
  /// Whether the session's cookie identifies the caller.
  var hasCookie = false
  private var method = HTTPMethod.get
  var stage = ExchangeStage.preparing
  var body = RequestBody.ignored
  /// The client's trace; nil for a request that names none.
  private(set) var trace: TraceParent?
  /// The number of the request, or the trace that it belongs to.
  private(set) var requestID: RequestID
  var identity: (session: Session, token: TokenHash)?
  /// The response collected so far, if it may be cached.
  var fill: CacheFill?
  /// The run that the client watches by polling.
  var polledRun: PolledRun?
  var query: Query?
  /// The head that came before, while the exchange waits for the body; `head` is nil meanwhile.
  var known: KnownHead?
  /// The head to remember if it passes the phases.
  var candidate: KnownHeads.Candidate?
  /// The client's head while the exchange waits for the body or for the token; after admission, the
  /// head that is sent to the replica. The phases in between own it, so that it is not copied.
  var head: RequestHead?

  init(_ context: LoopContext) {
    self.context = context
    requestID = context.nextRequestID()
    started = context.loop.now
  }

  var isOver: Bool {
    if case .over = stage { return true }
    return false
  }

  /// The properties of the response that the gateway adds.
  var nature: RelayPhase.Nature {
    RelayPhase.Nature(
      isSecure: isSecure && context.parts.demandsTLS,
      isPersonal: showsToken || plan?.isPersonal ?? false, requestID: requestDigits)
  }

  // MARK: From the server

  func received(head: consuming RequestHead, on stream: any ServerStream) {
    self.stream = stream
    isSecure = stream.isSecure
    method = head.method
    if let given = head.trace {
      trace = given
      requestID = given.trace
    }
    requestDigits = requestID.digits
    do throws(Problem) {
      switch context.heads.find(head) {
      case .known(let known): try begin(stream, known, length: head.contentLength)
      case .repeated(let hash): try begin(stream, head, hash)
      case .new: try begin(stream, head, nil)
      }
    } catch {
      refuse(error)
    }
  }

  func received(body part: Span<UInt8>) {
    guard !isOver else { return }
    switch changeBody({ $0.take(part) }) {
    case .nothing: break
    case .passOn: pass(part)
    case .tooLarge(let bytesMax): cutOff(BodyPhase.tooLarge(bytesMax))
    }
  }

  func receivedEnd() {
    guard !isOver else { return }
    switch changeBody({ $0.end() }) {
    case .nothing: break
    case .passOn: stage.attempt?.stream?.send(body: [UInt8]().span, endStream: true)
    case .check(let bytes):
      do throws(Problem) {
        if let known = known.take() {
          try check(bytes, known)
        } else if let head = head.take() {
          try check(bytes, head)
        }
      } catch {
        refuse(error)
      }
    }
  }

  /// Changes the body, which is moved out meanwhile: elsewhere the compiler then proves exclusive
  /// access, instead of checking it for each request.
  @discardableResult
  func changeBody<Result>(_ change: (inout RequestBody) -> Result) -> Result {
    var moved = RequestBody.ignored
    swap(&moved, &body)
    defer { swap(&moved, &body) }
    return change(&moved)
  }

  func aborted(_ reason: StreamAbort) {
    guard !isOver else { return }
    context.parts.metrics.abandoned.increment()
    noteChange()
    stage.attempt?.cancel()
    switch stage {
    case .relaying(let answer): finish(answer, isWhole: false)
    case .repeating(let repeated): finish(repeated, isWhole: false)
    case .preparing, .identifying, .waiting, .forwarded, .over:
      // The status that nginx logs for a client that left before its response.
      finish(status: 499, bytes: 0, isWhole: false)
    }
  }

  // MARK: The end

  /// Ends a request that a replica answered.
  func finish(_ answer: RelayedAnswer, isWhole: Bool) {
    finish(status: answer.status, bytes: answer.bytes, isWhole: isWhole)
  }

  /// The last phase: updates the counters and writes the access log line. It cannot fail.
  func finish(status: UInt16, bytes: UInt64, isWhole: Bool) {
    guard !isOver else { return }
    stage = .over
    endFill()
    countSpectator(status: status)
    if plan?.endpoint.isEndless == true { context.openStreams.remove(self) }
    let duration = context.loop.now - started
    measures.record(status: status, duration: duration)
    context.accessLog.write(
      AccessLog.Entry(
        requestID: requestDigits, target: loggedTarget, status: status, duration: duration,
        bytes: bytes, attempts: attempts.count, isWhole: isWhole))
    stream = nil
    body = .ignored
    head = nil
  }

  private static let pageName = Array("page".utf8)

  private var loggedTarget: [UInt8] {
    if let plan, plan.endpoint.method == method { return plan.loggedTarget }
    return AccessLog.target(method, plan?.name ?? (isPage ? Self.pageName : []))
  }

  private var measures: EndpointMeasures {
    let metrics = context.parts.metrics
    return plan?.measures ?? (isPage ? metrics.pages : metrics.unrouted)
  }
}
