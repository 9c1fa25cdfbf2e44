import Gateway
import HTTP
import PublicAPI
import Requirements
import Support
import Synchronization
import Testing
import Web

/// Uploads held by a replica until they are released.
private final class HeldUploads: Sendable {
  private struct State {
    var isReleased = false
    var current = 0
    var most = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var current: Int { state.withLock { $0.current } }
  /// The maximum number held at the same time.
  var most: Int { state.withLock { $0.most } }

  func hold() async {
    await withCheckedContinuation { continuation in
      let isReleased = state.withLock { state in
        state.current += 1
        state.most = max(state.most, state.current)
        if !state.isReleased { state.waiting.append(continuation) }
        return state.isReleased
      }
      if isReleased { continuation.resume() }
    }
    state.withLock { $0.current -= 1 }
  }

  func release() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isReleased = true
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

@Suite("Priority classes of requests to replicas", .tags(.GW_1))
struct PriorityClassTests {
  /// An upload that the replica answers immediately.
  private static let upload = uploadOf(60)
  /// An upload that the replica holds.
  private static let heldUpload = uploadOf(61)
  private static let emergency = #"{"episodeID":"0190b7c4-0000-7000-8000-000000000001"}"#
  /// Accounts from this number on are monitored.
  private static let watched: Int64 = 100

  private static func uploadOf(_ heartRate: Int) -> String {
    #"{"dataTypes":["heartRate"],"values":[\#(heartRate)],"#
      + #""timestamp":["2024-01-01T00:00:00Z"]}"#
  }

  /// Limits under which a request waits longer than any test takes.
  private static func limits(uploadsMax: Int) -> ReplicaLimits {
    var limits = TestGateway.patient
    limits.uploadsMax = uploadsMax
    return limits
  }

  /// A gateway with a limit on uploads, in front of a replica that holds some.
  private func with(
    uploadsMax: Int, streamsMax: UInt32 = 128,
    _ body: (TestGateway, TestReplica, HeldUploads) async throws -> Void
  ) async throws {
    let held = HeldUploads()
    var settings = HTTPServerSettings()
    settings.http2.streamsMax = streamsMax
    let replica = try await TestReplica.start(settings: settings) { (request) throws(Problem) in
      guard request.head.pathText == "/data/upload" else { return nil }
      if case .bytes(let bytes) = request.body, bytes == Array(Self.heldUpload.utf8) {
        await held.hold()
      }
      let account = request.head.fields[.internalAccount].flatMap { Int64($0) } ?? 0
      var response = Response.json(Array("{}".utf8))
      response.fields.append(.internalWatched, account >= Self.watched ? "1" : "0")
      return response
    }
    let gateway = try await TestGateway.start(
      data4help: [replica.address], replicaLimits: Self.limits(uploadsMax: uploadsMax))
    try await body(gateway, replica, held)
    held.release()
    await gateway.stop()
    await replica.stop()
  }

  private static func upload(
    _ body: String = upload, by account: Int64, to gateway: TestGateway
  ) async throws -> HTTPClientResponse {
    try await gateway.send(
      .post, "/data/upload", token: gateway.logIn(account: account), json: body)
  }

  @Test("uploads above a replica's limit wait in the gateway without delaying other requests")
  func room() async throws {
    try await with(uploadsMax: 2) { gateway, _, held in
      try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
        for account in Int64(1)...6 {
          group.addTask {
            try await Self.upload(Self.heldUpload, by: account, to: gateway).head.status
          }
        }
        try await eventually("2 held uploads") { held.current == 2 }
        let token = gateway.logIn()
        let alarm = try await gateway.send(
          .post, "/sos/abort", token: token, json: Self.emergency)
        #expect(alarm.head.status == .ok)
        #expect(try await gateway.send(.get, "/auth/me", token: token).head.status == .ok)
        #expect(held.current == 2)
        held.release()
        for try await status in group { #expect(status == .ok) }
      }
      #expect(held.most == 2)
    }
  }

  @Test("an alarm has a connection of its own: one that is full does not hold it up", .tags(.SOS_2))
  func connection() async throws {
    try await with(uploadsMax: 512, streamsMax: 2) { gateway, _, held in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for account in Int64(1)...2 {
          group.addTask {
            _ = try await Self.upload(Self.heldUpload, by: account, to: gateway)
          }
        }
        try await eventually("2 held uploads") { held.current == 2 }
        let alarm = try await gateway.send(
          .post, "/sos/abort", token: gateway.logIn(), json: Self.emergency)
        #expect(alarm.head.status == .ok)
        held.release()
        try await group.waitForAll()
      }
    }
  }

  @Test(
    "uploads of monitored accounts have the priority of alarms, which is not disclosed",
    .tags(.SOS_2))
  func monitoredAccounts() async throws {
    try await with(uploadsMax: 1) { gateway, replica, held in
      let first = try await Self.upload(by: Self.watched, to: gateway)
      #expect(first.head.status == .ok)
      #expect(first.head.fields[.internalWatched] == nil)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for account in Int64(1)...2 {
          group.addTask {
            _ = try await Self.upload(Self.heldUpload, by: account, to: gateway)
          }
        }
        try await eventually("a held upload") { held.current == 1 }
        let alarm = try await Self.upload(by: Self.watched, to: gateway)
        #expect(alarm.head.status == .ok)
        #expect(held.current == 1)
        held.release()
        try await group.waitForAll()
      }
      #expect(replica.arrivals.count == 4)
    }
  }

  @Test(
    "an invalid body is forwarded for a monitored account, and refused otherwise",
    .tags(.GW_2, .SOS_13))
  func unfit() async throws {
    try await with(uploadsMax: 1) { gateway, replica, _ in
      let unfit = #"{"dataTypes":["mood"],"values":[1],"timestamp":["2024-01-01T00:00:00Z"]}"#
      for account in [1, Self.watched] {
        _ = try await Self.upload(by: account, to: gateway)
        let reply = try await Self.upload(unfit, by: account, to: gateway)
        #expect(reply.head.status == (account == 1 ? .badRequest : .ok))
        let alert = try await gateway.send(
          .post, "/sos/alert", token: gateway.logIn(account: account), json: "{}")
        // This replica serves only uploads.
        #expect(alert.head.status == (account == 1 ? .badRequest : .notFound))
        // An invalid request without readings is refused in any case.
        let abort = try await gateway.send(
          .post, "/sos/abort", token: gateway.logIn(account: account), json: "{}")
        #expect(abort.head.status == .badRequest)
      }
      #expect(replica.arrivals.map(\.body).filter { $0 == unfit }.count == 1)
    }
  }

  @Test(
    "enabling AutomatedSOS is passed on with the next upload, despite an older response",
    .tags(.SOS_2))
  func switchedOn() async throws {
    let account: Int64 = 7
    let replica = try await TestReplica.start { (request) throws(Problem) in
      var response = Response.json(Array("{}".utf8))
      response.fields.append(
        .internalWatched, request.head.pathText == "/sos/enable" ? "1" : "0")
      return response
    }
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let token = gateway.logIn(account: account)
    for path in ["/data/upload", "/sos/enable", "/data/upload", "/data/upload"] {
      let body = path == "/sos/enable" ? #"{"callPermission":true}"# : Self.upload
      let answer = try await gateway.send(.post, path, token: token, json: body)
      #expect(answer.head.status == .ok)
      #expect(answer.head.fields[.internalWatched] == nil)
    }
    // The replica that received the field has reported that the account is not monitored.
    #expect(replica.arrivals.map { $0.fields[.internalWatched] } == [nil, nil, "1", nil])
    await gateway.stop()
    await replica.stop()
  }

  @Test(
    "uploads of monitored accounts have a limit too, which leaves capacity for alarms",
    .tags(.SOS_2))
  func watchedRoom() async throws {
    try await with(uploadsMax: 1) { gateway, _, held in
      let people = Self.watched..<(Self.watched + 4)
      for account in people { _ = try await Self.upload(by: account, to: gateway) }
      try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
        for account in people {
          group.addTask {
            try await Self.upload(Self.heldUpload, by: account, to: gateway).head.status
          }
        }
        // One upload on the connection for alarms, one on the other.
        try await eventually("2 held uploads") { held.current == 2 }
        let alarm = try await gateway.send(
          .post, "/sos/abort", token: gateway.logIn(), json: Self.emergency)
        #expect(alarm.head.status == .ok)
        #expect(held.current == 2)
        held.release()
        for try await status in group { #expect(status == .ok) }
      }
      #expect(held.most == 2)
    }
  }

  @Test("without a replica an alarm waits, even if the queue of others is full", .tags(.SOS_2))
  func waitingRoom() async throws {
    var limits = Self.limits(uploadsMax: 1)
    limits.waitersMax = 1
    let address = SocketAddress.unix(path: "/tmp/gw-\(UInt32.random(in: .min ... .max)).sock")
    let gateway = try await TestGateway.start(data4help: [address], replicaLimits: limits)
    let token = gateway.logIn()
    try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try await gateway.send(.get, "/auth/me", token: token).head.status
        }
      }
      let refused = try await group.next()
      #expect(refused == .unavailable, "the queue has space for one request")
      let other = gateway.unknownLogIn()
      group.addTask {
        try await gateway.send(.post, "/sos/abort", token: other, json: Self.emergency).head.status
      }
      try await gateway.untilLookedUp()
      let replica = try await TestReplica.start("late", at: address)
      for try await status in group { #expect(status == .ok) }
      await replica.stop()
    }
    await gateway.stop()
  }
}
