import Domain
import EventLoop
import HTTP
import InternalAPI
import JSON
import Operations
import ServiceKit
import Synchronization
import Time
import Web

/// A fake Data4Help for Track4Run's processes: it records orders, and returns the events that the
/// test adds.
package final class FakeData4Help: Sendable {
  /// An order, recorded once per arrival.
  package struct Order: Sendable {
    /// The path of the call.
    package let path: String
    /// Its `Idempotency-Key`.
    package let key: String?
    /// Its identifier in the log of Data4Help.
    package let requestID: RequestID
    /// Its trace, if it has one.
    package let trace: TraceParent?
    /// Its document.
    package let body: [UInt8]

    /// Decodes the document.
    package func read<Value: JSONReadable>(_ type: Value.Type) throws -> Value {
      try JSONReader.read(type, from: body)
    }
  }

  private struct State {
    var orders: [Order] = []
    var reads: [RequestID] = []
    var events: [SentEvent] = []
    var isUnavailable = false
    /// The outcomes for check-ins of these accounts; those of others are `sent`.
    var outcomes: [AccountID: CheckInOutcome] = [:]
    /// Notices about this are refused.
    var refusedFact: String?
    /// Notices about this event fail.
    var failingFact: String?
    /// Check-ins that their runners have ended.
    var ended: Set<DataRequestID> = []
    /// Called with each part of a run's file before it is answered.
    var onDownload: (@Sendable (RunDownload) async throws -> Void)?
  }

  /// An event, or an unreadable element in its place.
  private struct SentEvent: JSONWritable {
    let event: InternalEvent
    var isReadable = true

    func write(to writer: inout JSONWriter) {
      guard !isReadable else { return writer.value(event) }
      writer.object {
        $0.field("seq", event.number)
        $0.field("type", "of days to come")
      }
    }
  }

  /// 2026-06-01T12:00:00Z, when events enter the sequence unless a test says otherwise.
  package static let now = Instant(millisecondsSince1970: 1_780_315_200_000)

  private let state = Mutex(State())
  private let server: HTTPServer
  private let loop: EventLoop
  /// The address of its one replica.
  package var address: SocketAddress { server.addresses[0] }

  private init(_ server: HTTPServer, on loop: EventLoop) {
    self.server = server
    self.loop = loop
  }

  /// Runs `body` with a fake server.
  package static func with(_ body: (FakeData4Help) async throws -> Void) async throws {
    let loop = try EventLoop.start(name: "data4help")
    let box = Mutex<FakeData4Help?>(nil)
    var settings = HTTPServerSettings()
    settings.timeouts.drain = .zero
    let service = Service(
      Router(routes(on: loop) { box.withLock { $0 } }), log: .none)
    let server = try await HTTPServer.start(
      [.tcp(host: "127.0.0.1", port: 0)], on: [loop], settings: settings,
      handlers: service.handlers)
    let fake = FakeData4Help(server, on: loop)
    box.withLock { $0 = fake }
    do { try await body(fake) } catch {
      await fake.stop()
      throw error
    }
    await fake.stop()
  }

  private func stop() async {
    state.withLock { $0.isUnavailable = true }
    await server.stop()
    loop.stop()
  }

  // MARK: Controls for the test

  /// All orders received, in the order of their arrival.
  package var orders: [Order] { state.withLock { $0.orders } }

  /// The identifiers of all reads of the sequence, pages and streams, in order of arrival.
  package var reads: [RequestID] { state.withLock { $0.reads } }

  /// Whether it answers nothing but 503.
  package var isUnavailable: Bool {
    get { state.withLock { $0.isUnavailable } }
    set { state.withLock { $0.isUnavailable = newValue } }
  }

  /// Sets the outcome of the next check-in requests to an account.
  package func answer(_ outcome: CheckInOutcome, to account: Int64) {
    state.withLock { $0.outcomes[AccountID(rawValue: account)] = outcome }
  }

  /// Refuses notices about an event of runs.
  package func refuseNotices(of fact: String) { state.withLock { $0.refusedFact = fact } }

  /// Fails for notices about an event of runs; nil for none.
  package func failNotices(of fact: String?) { state.withLock { $0.failingFact = fact } }

  /// Grants no part of a file to this check-in any longer.
  package func end(_ requestID: DataRequestID) {
    state.withLock { _ = $0.ended.insert(requestID) }
  }

  /// Calls a function with each part of a run's file before it is answered.
  package func beforeDownloads(
    _ work: @escaping @Sendable (RunDownload) async throws -> Void
  ) {
    state.withLock { $0.onDownload = work }
  }

  /// Appends an event to the sequence.
  package func publish(
    _ content: InternalEvent.Content, at time: Instant = FakeData4Help.now,
    isReadable: Bool = true
  ) {
    state.withLock {
      let number = ($0.events.last?.event.number ?? 0) + 2
      let event = InternalEvent(number: number, enteredAt: time, content)
      $0.events.append(SentEvent(event: event, isReadable: isReadable))
    }
  }

  /// Replaces the event with a number; nil deletes it.
  package func publish(_ content: InternalEvent.Content?, under number: Int64) {
    state.withLock {
      guard let index = $0.events.firstIndex(where: { $0.event.number == number }) else { return }
      let notified = $0.events.remove(at: index)
      guard let content else { return }
      let event = InternalEvent(
        number: number, enteredAt: notified.event.enteredAt, content)
      $0.events.insert(SentEvent(event: event), at: index)
    }
  }

  /// The check-in requests received, including repetitions.
  package func asked() throws -> [(account: AccountID, requestID: DataRequestID)] {
    try orders.filter { $0.path == InternalPath.requests }.flatMap {
      try $0.read(CheckInBatch.self).runners.map { ($0.account, $0.requestID) }
    }
  }

  /// The withdrawn check-ins.
  package func withdrawn() throws -> [DataRequestID] {
    try orders.filter { $0.path == InternalPath.ends }.flatMap {
      try $0.read(CheckInEnds.self).requestIDs
    }
  }

  /// The accounts notified about an event of runs, by notices with distinct keys.
  package func notified(_ event: String) throws -> [Int64] {
    var keys: Set<String?> = []
    return try orders.filter { $0.path == InternalPath.notices && keys.insert($0.key).inserted }
      .map { try $0.read(NoticeOrder.self) }
      .filter { $0.facts["event"] == event }.flatMap { $0.accounts.map(\.rawValue) }
  }

  /// The check-ins whose samples were to be recorded as accessed, in order of arrival.
  package func downloaded() throws -> [DataRequestID] {
    try orders.filter { $0.path == InternalPath.downloads }.flatMap {
      try $0.read(RunDownload.self).runners.filter { $0.count > 0 }.map(\.requestID)
    }
  }

  // MARK: Replies

  private static func routes(
    on loop: EventLoop, _ fake: @escaping @Sendable () -> FakeData4Help?
  ) -> [Route] {
    let orders = [
      InternalPath.requests, InternalPath.ends, InternalPath.notices, InternalPath.mails,
      InternalPath.warnings, InternalPath.downloads,
    ]
    return orders.map { path in
      Route.inner(.post, path) { (request) throws(ApplicationError) in
        guard let fake = fake() else { throw .unavailable() }
        return try await fake.take(request, path)
      }
    } + [
      Route.inner(.get, InternalPath.events) { (request) throws(ApplicationError) in
        guard let fake = fake(), !fake.isUnavailable else { throw .unavailable() }
        fake.noteRead(request)
        return fake.page(
          after: request.query["since"].flatMap { Int64($0) } ?? 0,
          upTo: request.query["upTo"].flatMap { Int64($0) } ?? .max)
      },
      Route.inner(.get, InternalPath.stream) { (request) throws(ApplicationError) in
        guard let fake = fake(), !fake.isUnavailable else { throw .unavailable() }
        fake.noteRead(request)
        return fake.stream(after: request.query["since"].flatMap { Int64($0) } ?? 0, on: loop)
      },
    ]
  }

  private func noteRead(_ request: Request) {
    state.withLock { $0.reads.append(request.requestID) }
  }

  private func take(
    _ request: Request, _ path: String
  ) async throws(ApplicationError) -> Response {
    let order = Order(
      path: path, key: request.head.fields[.idempotencyKey], requestID: request.requestID,
      trace: request.head.trace, body: Array(request.body.bytes))
    let (refused, failing) = try state.withLock { (state) throws(ApplicationError) in
      if state.isUnavailable { throw .unavailable() }
      state.orders.append(order)
      return (state.refusedFact, state.failingFact)
    }
    switch path {
    case InternalPath.requests:
      let batch: CheckInBatch = try request.payload()
      let outcomes = state.withLock { state in
        batch.runners.map { state.outcomes[$0.account] ?? .sent }
      }
      return .json(of: CheckInOutcomes(outcomes))
    case InternalPath.notices:
      let notice: NoticeOrder = try request.payload()
      if notice.facts["event"] == refused { throw .invalid("Not this one.") }
      if notice.facts["event"] == failing { throw .internalError }
    case InternalPath.warnings: return .json(of: RunnerWarnings([]))
    case InternalPath.downloads: return .json(of: try await granted(try request.payload()))
    default: break
    }
    return .message("Action successful")
  }

  private func granted(
    _ download: RunDownload
  ) async throws(ApplicationError) -> GrantedCheckIns {
    if let work = state.withLock({ $0.onDownload }) {
      do { try await work(download) } catch { throw .internalError }
    }
    let ended = state.withLock { $0.ended }
    return GrantedCheckIns(download.runners.map(\.requestID).filter { !ended.contains($0) })
  }

  private func page(after number: Int64, upTo last: Int64) -> Response {
    let events = state.withLock {
      $0.events.filter { $0.event.number > number && $0.event.number <= last }
    }
    return .json { writer in
      writer.array("events") { writer in for event in events.prefix(2) { writer.value(event) } }
      writer.field("next", events.prefix(2).last?.event.number ?? number)
      writer.field("more", events.count > 2)
    }
  }

  private func stream(after number: Int64, on loop: EventLoop) -> Response {
    .events { [self] writer in
      var position = number
      while !isUnavailable {
        let events = state.withLock { $0.events.filter { $0.event.number > position } }
        var bytes: [UInt8] = []
        for notified in events {
          var text = JSONWriter()
          text.value(notified)
          ServerSentEvent.append(
            notified.event.name, id: notified.event.number, data: text.bytes, to: &bytes)
          position = notified.event.number
        }
        if bytes.isEmpty { try await writer.comment() } else { try await writer.write(bytes) }
        try await loop.wait(for: .milliseconds(20))
      }
    }
  }
}
