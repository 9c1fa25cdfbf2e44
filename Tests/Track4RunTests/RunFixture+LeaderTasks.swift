import Domain
import EventLoop
import FakeServices
import Operations
import Postgres
import PostgresFixture
import Track4Run
import Track4RunFixture

extension RunFixture {
  /// Runs `body` while a replica does the tasks of the leader.
  func conversing(
    with data4help: FakeData4Help, opensBefore: Duration = .zero, log: Log = .none,
    _ body: () async throws -> Void
  ) async throws {
    let tasks = leaderTasks(with: data4help, database, opensBefore, log: log, on: loop)
    await loop.run { tasks.value.start() }
    do { try await body() } catch {
      await tasks.value.stop()
      throw error
    }
    await tasks.value.stop()
  }

  /// Starts a replica that does the tasks of the leader on its own loop until `kill`.
  func begin(with data4help: FakeData4Help, on loop: EventLoop) async {
    var settings = test.settings(as: "track4run")
    settings.applicationName = "killed"
    let database = Database(settings, on: loop)
    await loop.run {
      self.leaderTasks(with: data4help, database, .zero, on: loop).value.start()
    }
  }

  /// Ends that replica and its connections abruptly, as a killed process does.
  func kill(_ loop: EventLoop) throws {
    loop.stop()
    try test.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'killed' AND datname = current_database()
      """)
  }

  private func leaderTasks(
    with data4help: FakeData4Help, _ database: Database, _ opensBefore: Duration,
    log: Log = .none, on loop: EventLoop
  ) -> LoopBound<LeaderTasks> {
    LoopBound(
      LeaderTasks(
        environment: environment, database: database, root: Self.root, zone: .utc,
        opensBefore: opensBefore,
        addresses: [data4help.address], wakeUp: wakeUp, log: log, on: loop), on: loop)
  }
}
