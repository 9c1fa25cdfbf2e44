import EventLoop
import Gateway
import HTTP
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Testing

@Suite("Database queries of the gateway", .tags(.GW_3))
struct NoQueryTests {
  private static let requests = 10_000
  private static let atOnce = 100

  @Test("ten thousand proxied requests cause no query of the gateway's role except its poll")
  func noQueries() async throws {
    let cluster = try await onThread { try Self.cluster() }
    let loop = try EventLoop.start(name: "follow")
    var settings = DatabaseSettings(
      url: cluster.url("gw", as: "gateway"), applicationName: "gateway")
    settings.readConnections = 1
    settings.writeConnections = 1
    let sessions = SessionTable(idle: .seconds(3600))
    let follower = SessionFollower(
      sessions, database: Database(settings, on: loop), on: loop, log: .none)
    follower.start()
    try await eventually("the loaded sessions") { follower.isLoaded }
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(
      data4help: [replica.address], source: follower, sessions: sessions)
    let token = gateway.logIn()
    let session = try AdminSession(url: cluster.url("gw"), applicationName: "test")
    let start = ContinuousClock.now
    try session.run("SELECT pg_stat_statements_reset()")
    let polls = follower.pollCount
    try await send(through: gateway, token)
    // The first of these polls may have been counted before the reset.
    try await eventually("two polls") { follower.pollCount >= polls + 2 }
    let rows = try session.rows(
      """
      SELECT s.query, s.calls::text FROM pg_stat_statements s
        JOIN pg_roles r ON r.oid = s.userid WHERE r.rolname = 'gateway'
      """)
    // A poll begins at least a pause after the end of the one before, which may have failed on a
    // busy machine. A connection for reads, opened late or anew, listens for handovers.
    let pollsMax = Int((ContinuousClock.now - start) / SessionFollower.pause) + 2
    #expect(rows.contains { Self.isPoll($0[0] ?? "") })
    for row in rows {
      let query = row[0] ?? ""
      #expect(Self.isPoll(query) || query.hasPrefix("LISTEN "), "\(row)")
      let calls = try #require(Int(row[1] ?? ""))
      #expect(calls <= pollsMax, "\(row)")
    }
    #expect(gateway.metrics.lookups.value == 0)
    // A request is repeated if the replica stalls.
    #expect((Self.requests..<2 * Self.requests).contains(replica.arrivals.count))
    await gateway.stop()
    await replica.stop()
    follower.stop()
    loop.stop()
    try await onThread { try cluster.stop("fast") }
  }

  private static func isPoll(_ query: String) -> Bool {
    query.contains("session") && query.contains("WHERE change >")
  }

  /// A server that counts the statements in its database `gw`, which has the schema.
  private static func cluster() throws -> TestCluster {
    let cluster = try TestCluster()
    try AdminSession(url: cluster.url("postgres"), applicationName: "test").run(
      "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    try cluster.stop("fast")
    try cluster.start()
    try AdminSession(url: cluster.url("postgres"), applicationName: "test").run(
      "CREATE DATABASE gw")
    let url = cluster.url("gw")
    try Migrator(directory: TestDatabase.sourceDirectory + "/sql", url: url).run()
    try AdminSession(url: url, applicationName: "test").run("CREATE EXTENSION pg_stat_statements")
    return cluster
  }

  private func send(through gateway: TestGateway, _ token: String) async throws {
    let client = gateway.client(.http2)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<Self.atOnce {
        group.addTask {
          var served = 0
          for _ in 0..<Self.requests / Self.atOnce {
            var head = RequestHead(.get, "/auth/me", authority: "a")
            head.fields.append(.authorization, "Bearer \(token)")
            let response = try await client.send(head)
            if response.head.status == .ok { served += 1 }
          }
          return served
        }
      }
      var served = 0
      for try await count in group { served += count }
      #expect(served == Self.requests)
    }
    client.shutDown()
  }
}
