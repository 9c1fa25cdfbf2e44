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
    let cluster = try TestCluster()
    let url = try prepare(cluster)
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
    let session = try AdminSession(url: url, applicationName: "test")
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
    #expect(!rows.isEmpty)
    for row in rows {
      #expect(row.first??.contains("session") == true, "\(row)")
      #expect(row.first??.contains("WHERE change >") == true, "\(row)")
    }
    // One poll may have ended before the first reading of the counter, another one is in progress.
    let calls = rows.compactMap { Int($0[1] ?? "") }.reduce(0, +)
    #expect(calls <= follower.pollCount - polls + 2)
    #expect(gateway.metrics.lookups.value == 0)
    #expect(replica.arrivals.count == Self.requests)
    await gateway.stop()
    await replica.stop()
    follower.stop()
    loop.stop()
    try cluster.stop("fast")
  }

  private func prepare(_ cluster: TestCluster) throws -> String {
    try AdminSession(url: cluster.url("postgres"), applicationName: "test").run(
      "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    try cluster.stop("fast")
    try cluster.start()
    try AdminSession(url: cluster.url("postgres"), applicationName: "test").run(
      "CREATE DATABASE gw")
    let url = cluster.url("gw")
    try Migrator(directory: TestDatabase.sourceDirectory + "/sql", url: url).run()
    try AdminSession(url: url, applicationName: "test").run("CREATE EXTENSION pg_stat_statements")
    return url
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
