import Cryptography
import Domain
import EventLoop
import FakeServices
import HTTP
import InternalAPI
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Runs
import ServiceKit
import Support
import Synchronization
import Testing
import Time
import Track4RunFixture
import Web

@Suite("Files of runs whose runners leave while they are written", .tags(.RUN_8))
struct RunDownloadTests {
  /// A run with three runners, whose file the organiser downloads.
  private struct Download: Sendable {
    let fixture: RunFixture
    let fake: FakeData4Help
    let dependencies: RunDependencies
    let runID: Int64
  }

  /// Runs a test with a run whose runners have this number of samples each, and a fake Data4Help
  /// with this time limit for an answer.
  private func with(
    samples: Int = 1, answerWithin limit: Duration = .seconds(5),
    _ body: @escaping @Sendable (Download) async throws -> Void
  ) async throws {
    try await RunFixture.with { fixture in
      try await FakeData4Help.with { fake in
        let dependencies = fixture.dependencies([fake.address], answerWithin: limit)
        let runID = try await run(fixture, dependencies.runData, samples: samples)
        try await body(
          Download(fixture: fixture, fake: fake, dependencies: dependencies, runID: runID))
      }
    }
  }

  /// A run with three checked-in runners, each with heart rates of 100 plus the number.
  private func run(
    _ fixture: RunFixture, _ runData: RunData, samples: Int
  ) async throws -> Int64 {
    let runID = try await fixture.listed(try RunFixture.terms())
    for runner in [1, 2, 3] as [Int64] { _ = try await fixture.join(runID, runner) }
    try fixture.test.run(
      """
      UPDATE track4run.enrolments
         SET request_id = lpad(number::text, 32, '0')::uuid, checked_in_at = now()
      """)
    let rows = ([1, 2, 3] as [Int32]).map { number in
      CheckInSamples(
        runID: runID, number: number, streamSeq: Int64(number),
        samples: (0..<samples).map { second in
          Sample(
            stored: .heartRate, time: RunFixture.now.adding(seconds: 3700 + Int64(second)),
            value: .number(Double(100 + number)))
        })
    }
    try await fixture.database.transaction { (transaction) throws(ApplicationError) in
      try await runData.store(rows, in: transaction)
    }
    return runID
  }

  /// The request of a runner.
  private static func request(_ number: UInt64) -> DataRequestID {
    DataRequestID(high: 0, low: number)
  }

  /// The function that writes the file of a run.
  private func file(
    of download: Download
  ) async throws -> @Sendable (BodyWriter) async throws -> Void {
    let endpoint = Endpoint.downloadRun
    let routes = download.dependencies.routes { (_) throws(ApplicationError) in nil }
    let route = try #require(
      routes.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    let text = "runID=\(download.runID)&format=ndjson"
    var head = RequestHead(.get, "\(endpoint.path)?\(text)", authority: "test")
    head.fields.append(.internalAccount, "\(RunFixture.organiser.rawValue)")
    head.fields.append(.internalKind, AccountKind.thirdParty.rawValue)
    let session = TokenHash(digest: SHA256.digest(of: "token".utf8Span.span))
    head.fields.append(.internalSession, session.hexadecimal)
    let query = Array(text.utf8)
    let response = try await route.handler(
      Request(head: head, query: try Query(decoding: query[...]), body: .bytes([])))
    guard case .stream(let write) = response.body else { throw NoStream() }
    return write
  }

  private struct NoStream: Error {}

  /// The heart rates in a file.
  private func rates(_ writer: BodyWriter) -> [Int] {
    let text = String(decoding: writer.collected, as: UTF8.self)
    return (101...103).filter { text.contains("\"value\":\($0)") }
  }

  enum Departure: String, CaseIterable {
    case leave = "SET left_at = now(), left_reason = 1"
    case deletion = "SET account_id = -number, sealed_name = NULL"
    case end
  }

  @Test(
    "a runner who leaves, ends the check-in or deletes the account is not in the rest of a file",
    .tags(.R21, .NFR_6), arguments: Departure.allCases, [2, 3] as [UInt64])
  func departed(_ departure: Departure, _ number: UInt64) async throws {
    try await with { download in
      let (test, fake) = (download.fixture.test, download.fake)
      fake.beforeDownloads { [unowned fake] part in
        guard part.runners.map(\.requestID) == [Self.request(1)] else { return }
        if departure == .end { return fake.end(Self.request(number)) }
        try test.run("UPDATE track4run.enrolments \(departure.rawValue) WHERE number = \(number)")
      }
      let writer = BodyWriter()
      try await file(of: download)(writer)
      let others = [1, 2, 3].filter { $0 != Int(number) }
      #expect(rates(writer) == others.map { 100 + $0 })
      // Data4Help refuses the record of an ended check-in, and is not asked for the others'.
      let asked = departure == .end ? [1, 2, 3] : others.map { UInt64($0) }
      #expect(try fake.downloaded() == asked.map(Self.request))
    }
  }

  @Test(
    "a runner who leaves while the access is being recorded is not in the file", .tags(.R21))
  func leavesLast() async throws {
    try await with { download in
      let test = download.fixture.test
      download.fake.beforeDownloads { part in
        guard part.runners.map(\.requestID) == [Self.request(1)] else { return }
        try test.run("UPDATE track4run.enrolments \(Departure.leave.rawValue) WHERE number = 1")
      }
      let writer = BodyWriter()
      try await file(of: download)(writer)
      #expect(rates(writer) == [102, 103])
    }
  }

  @Test("the file of an organiser whose account is deleted meanwhile is cut", .tags(.ACC_8))
  func organiserDeleted() async throws {
    try await with { download in
      let test = download.fixture.test
      download.fake.beforeDownloads { part in
        guard part.runners.map(\.requestID) == [Self.request(2)] else { return }
        try test.run("UPDATE track4run.runs SET organiser_id = 0")
      }
      let writer = BodyWriter()
      let write = try await file(of: download)
      await #expect(throws: BodyWriter.Failure.aborted) { try await write(writer) }
      #expect(rates(writer) == [101])
    }
  }

  @Test("a file is cut between two pieces when the runner whose data it is leaves", .tags(.R21))
  func cutBetweenPieces() async throws {
    let pieceBytes = 64 << 10
    try await with(samples: 1_000) { download in
      let test = download.fixture.test
      let writer = BodyWriter { writer in
        guard writer.collected.count >= pieceBytes else { return true }
        #expect(throws: Never.self) {
          try test.run("UPDATE track4run.enrolments \(Departure.leave.rawValue) WHERE number = 1")
        }
        return true
      }
      let write = try await file(of: download)
      await #expect(throws: BodyWriter.Failure.aborted) { try await write(writer) }
      // The piece ends with the sample that reaches its size.
      #expect(writer.collected.count < pieceBytes + 1024)
      #expect(rates(writer) == [101])
    }
  }

  @Test(
    "a file is cut while its client reads nothing and Data4Help hangs", .tags(.R21, .ACC_8))
  func hangingCheck() async throws {
    let limit = Duration.seconds(20)
    try await with(answerWithin: limit) { download in
      let hang = Hang()
      download.fake.beforeDownloads { part in
        guard part.runners.allSatisfy({ $0.count == 0 }) else { return }
        try await hang.last()
      }
      let writer = BodyWriter { $0.collected.isEmpty }
      let write = try await file(of: download)
      let loop = download.fixture.loop
      let begin = loop.now
      // Without a check the writer would wait for its client without end.
      let lastResort = loop.schedule(after: limit * 2) { writer.abort() }
      await #expect(throws: BodyWriter.Failure.aborted) { try await write(writer) }
      lastResort.cancel()
      // The check has a time limit of its own, which is much shorter.
      #expect(loop.now - begin < limit / 2)
      #expect(rates(writer) == [101])
      try await hang.end()
    }
  }

  /// Calls that do not return before the test ends them.
  private final class Hang: Sendable {
    private struct State {
      var calls = 0
      var isOver = false
    }

    private let state = Mutex(State())

    func last() async throws {
      state.withLock { $0.calls += 1 }
      defer { state.withLock { $0.calls -= 1 } }
      try await eventually("the end of a hang") { self.state.withLock { $0.isOver } }
    }

    /// Returns when no call is left, because their loop is stopped next.
    func end() async throws {
      state.withLock { $0.isOver = true }
      try await eventually("the end of all calls") { self.state.withLock { $0.calls == 0 } }
    }
  }

  @Test("a client must receive a file at 16 KiB/s", .tags(.GW_5))
  func leastRate() async throws {
    try await with { download in
      let writer = BodyWriter()
      try await file(of: download)(writer)
      #expect(writer.demandedRate == 16 << 10)
    }
  }

  /// Whether the organiser can open no further file.
  private func isRefused(_ download: Download) async throws -> Bool {
    do { _ = try await file(of: download) } catch let problem as Problem {
      #expect(problem.status == .tooManyRequests)
      #expect(problem.fields[.retryAfter] == "2")
      #expect(problem.detail.contains("receive or close some of them first"))
      return true
    }
    return false
  }

  @Test(
    "an organiser has ten open files, and a further one when one ends, is cut or is discarded",
    .tags(.GW_5))
  func slots() async throws {
    try await with { download in
      var open: [@Sendable (BodyWriter) async throws -> Void] = []
      for _ in 0..<DownloadSlots.countOfThirdPartyMax {
        open.append(try await file(of: download))
      }
      #expect(try await isRefused(download))
      let (first, second) = (open[0], open[1])
      try await first(BodyWriter())
      // The file that takes the slot here is discarded unread.
      #expect(try await isRefused(download) == false)
      let disconnecting = BodyWriter(bytesMax: 0)
      await #expect(throws: BodyWriter.Failure.aborted) { try await second(disconnecting) }
      for _ in 1...2 { open.append(try await file(of: download)) }
      #expect(try await isRefused(download))
      withExtendedLifetime(open) {}
    }
  }
}
