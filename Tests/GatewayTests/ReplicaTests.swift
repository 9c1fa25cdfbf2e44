import EventLoop
import Foundation
import Gateway
import HTTP
import Operations
import PublicAPI
import Requirements
import Support
import Synchronization
import Testing
import Web

/// Counts the requests of a replica that does not answer them.
private final class HangingUp: Sendable {
  let count = Mutex(0)
}

/// Requests that are answered together, once a number of them has arrived.
private final class Gathering: Sendable {
  private struct State {
    var missing: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(missing: count)) }

  /// Returns when all have arrived.
  func join() async {
    await withCheckedContinuation { continuation in
      let complete: [CheckedContinuation<Void, Never>] = state.withLock { state in
        state.missing -= 1
        state.waiting.append(continuation)
        guard state.missing <= 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in complete { continuation.resume() }
    }
  }
}

@Suite("Several replicas", .tags(.GW_1))
struct ReplicaTests {
  private func socket(_ name: String) -> SocketAddress {
    .unix(path: NSTemporaryDirectory() + "gw-\(UUID().uuidString.prefix(8))-\(name).sock")
  }

  private func client(_ gateway: TestGateway) -> HTTPClient { gateway.client(.http2) }

  private func head(_ method: HTTPMethod, _ target: String, _ token: String) -> RequestHead {
    var head = RequestHead(method, target, authority: "a")
    head.fields.append(.authorization, "Bearer \(token)")
    return head
  }

  /// Sends `count` requests, `atOnce` at a time; returns the number of 200 responses per replica.
  private func load(
    _ gateway: TestGateway, _ head: RequestHead, count: Int, atOnce: Int,
    meanwhile: @Sendable @escaping () async throws -> Void = {}
  ) async throws -> [String: Int] {
    let client = client(gateway)
    defer { client.shutDown() }
    return try await withThrowingTaskGroup(of: [String: Int].self) { group in
      group.addTask {
        try await meanwhile()
        return [:]
      }
      for _ in 0..<atOnce {
        group.addTask {
          var answers: [String: Int] = [:]
          for _ in 0..<count / atOnce {
            let response = try await client.send(head)
            let key =
              response.head.status == .ok
              ? response.member("replica") ?? "?" : "\(response.head.status.code)"
            answers[key, default: 0] += 1
          }
          return answers
        }
      }
      var sum: [String: Int] = [:]
      for try await answers in group { sum.merge(answers, uniquingKeysWith: +) }
      return sum
    }
  }

  private func bothUp(_ gateway: TestGateway) async throws {
    let head = head(.get, "/auth/me", gateway.logIn())
    var seen: Set<String> = []
    try await eventually("answers of both replicas") {
      seen.formUnion(try await load(gateway, head, count: 8, atOnce: 4).keys)
      return seen.count >= 2
    }
  }

  @Test(
    "requests are distributed over both replicas, uploads of an account go to one",
    .timeLimit(.minutes(3)))
  func balance() async throws {
    let gathering = Gathering(80)
    let gather: @Sendable (Request) async throws(Problem) -> Response? = {
      (request) throws(Problem) in
      if request.head.pathText == "/data/stats" { await gathering.join() }
      return nil
    }
    let one = try await TestReplica.start("one", at: socket("a"), answer: gather)
    let two = try await TestReplica.start("two", at: socket("b"), answer: gather)
    let gateway = try await TestGateway.start(data4help: [one.address, two.address])
    try await bothUp(gateway)
    // All are concurrent, so that a replica without processor time for a while does not lose its
    // share to the other one.
    let spread = try await load(
      gateway, head(.get, "/data/stats", gateway.logIn()), count: 80, atOnce: 80)
    #expect(spread["one", default: 0] > 20)
    #expect(spread["two", default: 0] > 20)
    var owners: Set<String> = []
    let json = #"{"dataTypes":["steps"],"values":[1],"timestamp":["2024-01-01T00:00:00Z"]}"#
    for account in Int64(1)...20 {
      let token = gateway.logIn(account: account)
      var served: Set<String> = []
      for _ in 0..<5 {
        let response = try await gateway.send(.post, "/data/upload", token: token, json: json)
        served.insert(response.member("replica") ?? "?")
      }
      #expect(served.count == 1)
      owners.formUnion(served)
    }
    #expect(owners == ["one", "two"])
    await gateway.stop()
    await one.stop()
    await two.stop()
  }

  @Test("a dead replica fails no request that may be retried, and returns to rotation")
  func deadReplica() async throws {
    let one = try await TestReplica.start("one", at: socket("a"))
    let address = socket("b")
    let two = try await TestReplica.start("two", at: address)
    let gateway = try await TestGateway.start(data4help: [one.address, address])
    try await bothUp(gateway)
    // It has no drain time: requests in progress are aborted.
    let answers = try await load(
      gateway, head(.get, "/auth/me", gateway.logIn()), count: 2000, atOnce: 20
    ) {
      await two.stop()
    }
    #expect(answers["one", default: 0] + answers["two", default: 0] == 2000, "\(answers)")
    let again = try await TestReplica.start("again", at: address)
    var seen: Set<String> = []
    try await eventually("an answer of the replica that started again") {
      let more = try await load(
        gateway, head(.get, "/auth/me", gateway.logIn()), count: 20, atOnce: 4)
      seen.formUnion(more.keys)
      return seen.contains("again")
    }
    #expect(seen.isSubset(of: ["one", "again"]))
    await gateway.stop()
    await one.stop()
    await again.stop()
  }

  @Test("a request waits for its only replica to start, and receives 503 if none does")
  func waiting() async throws {
    let address = socket("late")
    let gateway = try await TestGateway.start(data4help: [address])
    let token = gateway.unknownLogIn()
    async let early = gateway.send(.get, "/auth/me", token: token)
    try await gateway.untilLookedUp()
    let replica = try await TestReplica.start("late", at: address)
    #expect(try await early.head.status == .ok)
    await gateway.stop()
    await replica.stop()
    var limits = ReplicaLimits()
    limits.waitMax = .milliseconds(50)
    let lonely = try await TestGateway.start(
      data4help: [socket("never")], replicaLimits: limits)
    let refused = try await lonely.send(.get, "/auth/me", token: lonely.logIn())
    #expect(refused.head.status == .unavailable)
    #expect(refused.error == "Unavailable")
    #expect(refused.head.fields[.retryAfter] == "1")
    let lines = lonely.log.lines
    #expect(lines.contains { $0.contains("no replica accepted the request in time") })
    // The cause of every refusal, once.
    let failures = lines.filter { $0.contains("connect to replica failed") }
    #expect(failures.count == 1)
    #expect(failures.allSatisfy { $0.contains("connectFailed") })
    await lonely.stop()
  }

  @Test("a request that may have been processed is sent once, unless it is idempotent")
  func brokenOff() async throws {
    let calls = HangingUp()
    let replica = try await ResettingReplica.start { calls.count.withLock { $0 += 1 } }
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let token = gateway.logIn()
    let post = try await gateway.send(.post, "/auth/logout", token: token)
    #expect(post.head.status == .badGateway)
    #expect(post.error == "Bad gateway")
    #expect(calls.count.withLock { $0 } == 1)
    let get = try await gateway.send(.get, "/auth/me", token: token)
    #expect(get.head.status == .badGateway)
    #expect(calls.count.withLock { $0 } == 5)
    let key = try await gateway.send(
      .post, "/auth/logout", token: token, fields: [("idempotency-key", "k")])
    #expect(key.head.status == .badGateway)
    #expect(calls.count.withLock { $0 } == 9)
    await gateway.stop()
    await replica.stop()
  }

  @Test("requests waiting for a replica that hangs are sent to the other one")
  func hangingReplica() async throws {
    let isHanging = HangingUp()
    let hung = try await TestReplica.start("hung", at: socket("h")) { (_) throws(Problem) in
      isHanging.count.withLock { $0 += 1 }
      return nil
    }
    let address = socket("i")
    let gateway = try await TestGateway.start(data4help: [hung.address, address])
    let head = head(.get, "/auth/me", gateway.logIn())
    #expect(try await load(gateway, head, count: 1, atOnce: 1) == ["hung": 1])
    // Its loop blocks until the test ends, and with it all its requests.
    let gate = DispatchSemaphore(value: 0)
    hung.loop.execute { gate.wait() }
    async let waiting = load(gateway, head, count: 4, atOnce: 4)
    let other = try await TestReplica.start("other", at: address)
    #expect(try await waiting == ["other": 4])
    gate.signal()
    await gateway.stop()
    await hung.stop()
    await other.stop()
  }

  @Test("retries end when the budget is exhausted")
  func budget() async throws {
    let calls = HangingUp()
    let replica = try await ResettingReplica.start { calls.count.withLock { $0 += 1 } }
    let begun = ContinuousClock.now
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let answers = try await load(
      gateway, head(.get, "/auth/me", gateway.logIn()), count: 1000, atOnce: 20)
    #expect(answers["502"] == 1000)
    // A fifth of a thousand, the hundred of the minimum, and ten for each second of the run.
    let seconds = Int((ContinuousClock.now - begun).components.seconds) + 1
    #expect(calls.count.withLock { $0 } <= 1000 + 200 + 100 + 10 * seconds)
    await gateway.stop()
    await replica.stop()
  }
}
