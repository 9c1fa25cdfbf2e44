import EventLoop
import Foundation
import HTTP
import Requirements
import Support
import Synchronization
import Testing

@Suite("Processes that replace each other", .serialized)
struct ReplacementJourney {
  private static let members = ["data4help-1", "data4help-2", "track4run-1", "gateway"]
  /// The system of these tests; each test leaves it working.
  /// With the loops of a machine of eight cores, whose database sessions are more than a hundred.
  /// Former processes finish their responses for longer than a busy machine keeps a test waiting.
  private static let system = Task {
    try await TestSystem(["TRACKME_LOOPS": "4", "TRACKME_STOP_WITHIN": "60"])
  }

  private func processes(_ system: TestSystem) throws -> [Int] {
    try Self.members.map { try #require(try system.member($0).process.int) }
  }

  @Test(
    "every process is replaced under load, twice, without a failed request", .tags(.OPS_4, .GW_1))
  func underLoad() async throws {
    let system = try await Self.system.value
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 60)])
    let load = Load(system, token: user.token)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for way in [PublicClient.Way.plain, .http1, .http1, .http2, .http2] {
        group.addTask { try await load.run(way) }
      }
      group.addTask {
        defer { load.end() }
        for _ in 0..<2 {
          let former = try processes(system)
          let before = load.answered
          let outcome = try await system.trackme("replace")
          #expect(outcome.isSuccess, "\(outcome.output)")
          #expect(Set(try processes(system)).isDisjoint(with: former))
          #expect(load.answered > before)
          for member in Self.members {
            #expect(outcome.output.contains("\(member) is replaced: process "))
            #expect(try system.member(member).restarts == 0)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(load.failures == [])
    let status = try await system.trackme("status")
    #expect(status.isSuccess, "\(status.output)")
  }

  @Test("a slow reader receives its whole response while the gateway is replaced", .tags(.OPS_4))
  func slowReader() async throws {
    let system = try await Self.system.value
    let client = try PublicClient(system, .http2)
    let whole = try await client.get("/openapi.json")
    try #require(whole.status == 200)
    client.close()
    let former = try processes(system)
    let reading = try SlowReading("/openapi.json", client)
    try await eventually("the first bytes") { reading.count > 0 }
    async let replaced = system.trackme("replace", "gateway")
    var lastRead = ContinuousClock.now
    try await eventually("the next gateway") {
      // A client that receives nothing for 30 s loses its response; a start may take longer.
      if ContinuousClock.now - lastRead > .seconds(20) {
        reading.readWindow()
        lastRead = .now
      }
      return try processes(system) != former
    }
    // More than one window, so that the former gateway has the rest.
    #expect(reading.count < whole.body.count)
    reading.resume()
    #expect(try await reading.whole() == whole.body)
    let outcome = try await replaced
    #expect(outcome.isSuccess, "\(outcome.output)")
  }

  @Test(
    "a broken setting and a broken certificate leave the former process, and the command says why",
    .tags(.OPS_4))
  func broken() async throws {
    let system = try await Self.system.value
    let former = try processes(system)
    let load = Load(system)
    async let connecting: Void = load.connectAnew()
    defer { load.end() }
    let settings = "\(system.state)/settings"
    try Data("TRACKME_SESSION_IDLE=never\n".utf8).write(to: URL(filePath: settings))
    let wrongSetting = try await system.trackme("replace", "gateway")
    #expect(!wrongSetting.isSuccess)
    #expect(wrongSetting.output.contains("TRACKME_SESSION_IDLE"), "\(wrongSetting.output)")
    try Data("TRACKME_CONTACT=help@trackme.example\n".utf8).write(to: URL(filePath: settings))
    let certificate = "\(system.state)/tls/certificate.pem"
    try Data("none".utf8).write(to: URL(filePath: certificate))
    let wrongFile = try await system.trackme("replace", "gateway")
    try Data(system.certificate).write(to: URL(filePath: certificate))
    #expect(!wrongFile.isSuccess)
    #expect(
      wrongFile.output.contains("The certificate of the HTTPS port cannot be used")
        && wrongFile.output.contains("The former process stays."), "\(wrongFile.output)")
    #expect(try processes(system) == former)
    let before = load.answers
    try await eventually("an answer over a new connection of each kind") {
      try #require(load.failures == [])
      let answers = load.answers
      return PublicClient.Way.allCases.allSatisfy {
        answers[$0, default: 0] > before[$0, default: 0]
      }
    }
    load.end()
    await connecting
    #expect(load.failures == [])
    // The settings of now reach the next process.
    let right = try await system.trackme("replace", "gateway")
    #expect(right.isSuccess, "\(right.output)")
    #expect(Array(try processes(system).dropLast()) == Array(former.dropLast()))
    #expect(try processes(system).last != former.last)
    let log = try String(contentsOfFile: "\(system.state)/logs/gateway.log", encoding: .utf8)
    #expect(log.contains("\"help@trackme.example\""))
  }

  @Test("what only a new start changes is refused, and an unknown name too", .tags(.OPS_4))
  func refused() async throws {
    let system = try await Self.system.value
    let former = try processes(system)
    let unknown = try await system.trackme("replace", "data4help-9")
    #expect(!unknown.isSuccess)
    #expect(unknown.output.contains("data4help-9 is no process here"), "\(unknown.output)")
    let settings = URL(filePath: "\(system.state)/settings")
    try Data("TRACKME_TRACK4RUN_REPLICAS=2\n".utf8).write(to: settings)
    let outcome = try await system.trackme("replace")
    try Data().write(to: settings)
    #expect(!outcome.isSuccess)
    #expect(
      outcome.output.contains("TRACKME_TRACK4RUN_REPLICAS has changed"), "\(outcome.output)")
    #expect(try processes(system) == former)
  }
}

/// Clients that read through the gateway until the end, and note every request that is not
/// answered with 200.
private final class Load: Sendable {
  private let system: TestSystem
  private let token: String?
  private let state = Mutex(State())

  private struct State {
    var answers: [PublicClient.Way: Int] = [:]
    var failures: [String] = []
    var isOver = false
  }

  init(_ system: TestSystem, token: String? = nil) {
    self.system = system
    self.token = token
  }

  /// The answers in each way.
  var answers: [PublicClient.Way: Int] { state.withLock { $0.answers } }
  var answered: Int { answers.values.reduce(0, +) }
  var failures: [String] { state.withLock { $0.failures } }
  private var isOver: Bool { state.withLock { $0.isOver } }

  func end() { state.withLock { $0.isOver = true } }

  /// Sends all requests over one connection, as long as the gateway keeps it.
  func run(_ way: PublicClient.Way) async throws {
    let client = try PublicClient(system, way)
    defer { client.close() }
    var count = 0
    var answered = ContinuousClock.now
    while !isOver {
      count += 1
      let begun = ContinuousClock.now
      // Data4Help and Track4Run in turn; the query makes each answer one of its own.
      let target =
        count % 2 == 0 ? "/data/stats?types=heartRate" : "/t4r/active/list?limit=\(count % 50 + 1)"
      do {
        note(try await client.get(target, token: token), way, target)
        answered = .now
      } catch HTTPClientError.failed(let failure)
        where way == .http2 && failure.progress == .unprocessed && failure.cause != .connectFailed
      {
        // RFC 9113, section 8.7: the server has not processed it, and the client sends it again.
        continue
      } catch {
        let idle = begun - answered
        note("\(way) \(target): \(error) after \(ContinuousClock.now - begun), idle \(idle) before")
      }
    }
  }

  /// Opens a connection for each request, in all ways in turn.
  func connectAnew() async {
    while !isOver {
      for way in PublicClient.Way.allCases {
        let begun = ContinuousClock.now
        do {
          let client = try PublicClient(system, way)
          defer { client.close() }
          note(try await client.get("/health"), way, "/health")
        } catch HTTPClientError.failed(let failure)
          where failure.cause == .handshakeFailed
          && ContinuousClock.now - begun >= HTTPTimeouts().handshake
        {
          // The gateway accepted the connection, and ended a handshake that took too long on a busy
          // machine. A refusal, or a certificate that is refused, fails at once.
          print("\(way), a new connection: no handshake in \(ContinuousClock.now - begun)")
          continue
        } catch {
          note("\(way), a new connection: \(error)")
        }
      }
    }
  }

  private func note(_ reply: Reply, _ way: PublicClient.Way, _ target: String) {
    guard reply.status == 200 else {
      return note("\(way) \(target): \(reply.status) \(reply.text)")
    }
    state.withLock { $0.answers[way, default: 0] += 1 }
  }

  private func note(_ failure: String) { state.withLock { $0.failures.append(failure) } }
}
