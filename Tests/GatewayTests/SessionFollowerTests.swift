import Cryptography
import Domain
import EventLoop
import Gateway
import HTTP
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Synchronization
import Testing

/// A follower of a real database, with a gateway in front of a service.
private struct FollowedGateway {
  let gateway: TestGateway
  let replica: TestReplica
  let follower: SessionFollower
  let loop: EventLoop

  static func start(
    _ url: String, loops: Int = 1, idle: Duration = .seconds(86_400),
    markPause: Duration? = nil, root: RootSecret = .random()
  ) async throws -> FollowedGateway {
    let loop = try EventLoop.start(name: "follow")
    var settings = DatabaseSettings(url: url, applicationName: "gateway")
    settings.readConnections = 1
    settings.writeConnections = 1
    settings.waitMax = .seconds(60)
    let sessions = SessionTable(idle: idle, markPause: markPause)
    let follower = SessionFollower(
      sessions, database: Database(settings, on: loop), on: loop, log: .none)
    follower.start()
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(
      data4help: [replica.address], loops: loops, source: follower, sessions: sessions,
      root: root)
    try await eventually("the loaded sessions") { follower.isLoaded }
    return FollowedGateway(gateway: gateway, replica: replica, follower: follower, loop: loop)
  }

  func stop() async {
    await gateway.stop()
    await replica.stop()
    follower.stop()
    loop.stop()
  }

  func status(_ token: IssuedToken) async throws -> HTTPStatus {
    try await gateway.send(.get, "/auth/me", token: token.text).head.status
  }
}

/// Writes sessions of a test as the health service does.
private struct SessionRows {
  let run: (String) throws -> Void

  func open(_ token: IssuedToken, account: Int64, usedAgo seconds: Int = 0) throws {
    try run(
      """
      SET session_replication_role = replica;
      WITH tick AS (UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
      INSERT INTO data4help.sessions
        (token_hash, account_id, kind, started_at, last_used_at, expires_at, change)
      SELECT '\\x\(token.hash.hexadecimal)', \(account), 1, now() - interval '\(seconds) s',
             now() - interval '\(seconds) s', now() + interval '1 day', change FROM tick
      """)
  }

  func end(_ token: IssuedToken) throws {
    try run(
      """
      WITH tick AS (UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
      UPDATE data4help.sessions SET ended_at = now(), change = tick.change FROM tick
       WHERE token_hash = '\\x\(token.hash.hexadecimal)'
      """)
  }
}

@Suite("Sessions followed from the database", .tags(.GW_3))
struct SessionFollowerTests {
  @Test("the statements match the schema and the gateway's privileges")
  func statements() async throws {
    try await TestDatabase.with { test in
      let problems = try StatementCheck.problems(
        of: GatewayStatements.all, at: test.url(as: "gateway"))
      #expect(problems == [])
    }
  }

  @Test("sessions that were open before the start are known, and tokens survive a restart")
  func load() async throws {
    try await TestDatabase.with { test in
      let root = RootSecret.random()
      let tokens = (0..<3).map { _ in TokenAuthority(root: root).issue(.session) }
      let rows = SessionRows(run: test.run)
      for (index, token) in tokens.enumerated() { try rows.open(token, account: Int64(index)) }
      try rows.end(tokens[2])
      for _ in 0..<2 {
        let followed = try await FollowedGateway.start(test.url(as: "gateway"), root: root)
        #expect(followed.gateway.sessions.count == 2)
        #expect(try await followed.status(tokens[0]) == .ok)
        #expect(try await followed.status(tokens[1]) == .ok)
        #expect(try await followed.status(tokens[2]) == .unauthorized)
        #expect(followed.gateway.metrics.lookups.value <= 1)
        await followed.stop()
      }
    }
  }

  @Test("a session opened after the start is served immediately")
  func opened() async throws {
    try await TestDatabase.with { test in
      let followed = try await FollowedGateway.start(test.url(as: "gateway"))
      let rows = SessionRows(run: test.run)
      for account in Int64(1)...5 {
        let token = followed.gateway.parts.tokens.issue(.session)
        try rows.open(token, account: account)
        #expect(try await followed.status(token) == .ok)
      }
      await followed.stop()
    }
  }

  @Test("an ended session is refused everywhere within a second")
  func ended() async throws {
    try await TestDatabase.with { test in
      let root = RootSecret.random()
      let first = try await FollowedGateway.start(test.url(as: "gateway"), loops: 2, root: root)
      let second = try await FollowedGateway.start(test.url(as: "gateway"), root: root)
      let token = TokenAuthority(root: root).issue(.session)
      let rows = SessionRows(run: test.run)
      try rows.open(token, account: 5)
      #expect(try await first.status(token) == .ok)
      #expect(try await second.status(token) == .ok)
      try rows.end(token)
      // Counts polls after the commit instead of seconds, for a valid result on a busy machine: the
      // current poll may have missed the end, but not the next one.
      let gateways = [first, second].map { (followed: $0, polls: $0.follower.pollCount) }
      for (followed, before) in gateways {
        while true {
          let polls = followed.follower.pollCount - before
          guard try await followed.status(token) == .ok else { break }
          #expect(polls < 2)
        }
        #expect(try await followed.status(token) == .unauthorized)
      }
      #expect(SessionFollower.pause * 2 <= .milliseconds(500))
      await first.stop()
      await second.stop()
    }
  }

  @Test("the last use is written with the poll, and an idle session has ended", .tags(.ACC_7))
  func lastUse() async throws {
    try await TestDatabase.with { test in
      let followed = try await FollowedGateway.start(
        test.url(as: "gateway"), idle: .seconds(100), markPause: .zero)
      let rows = SessionRows(run: test.run)
      let used = followed.gateway.parts.tokens.issue(.session)
      let idle = followed.gateway.parts.tokens.issue(.session)
      try rows.open(used, account: 1, usedAgo: 50)
      try rows.open(idle, account: 2, usedAgo: 101)
      #expect(try await followed.status(used) == .ok)
      #expect(try await followed.status(idle) == .unauthorized)
      let question: StaticString = """
        SELECT last_used_at > started_at FROM data4help.sessions WHERE account_id = 1
        """
      let session = try test.session()
      try await eventually("the recorded use") { try session.rows(question).first?.first == "t" }
      // Another gateway has served it in the meantime: the value in the database counts.
      try test.run(
        "UPDATE data4help.sessions SET last_used_at = now() WHERE account_id = 2")
      let other = try await FollowedGateway.start(
        test.url(as: "gateway"), idle: .seconds(100), root: followed.gateway.root)
      #expect(try await other.status(idle) == .ok)
      await other.stop()
      await followed.stop()
    }
  }
}
