import Accounts
import Data4Help
import Data4HelpFixture
import Emergencies
import EventLoop
import Operations
import Postgres
import PostgresFixture
import Support
import Testing
import Time

@Suite("Failures of the workers of Data4Help")
struct WorkerFailureTests {
  /// A component of the process, and what its line in the log contains after a failure.
  enum Worker: String, CaseIterable, Sendable {
    case revocations, answers, deletions, accounts, notices, callbacks, imports, silence
    case companyNames = "company names"
    case hospitals = "callbacks of emergencies"
    case groups, relay, expiry, reminders, checkpoints
    case monitoring
    case emergencies
    case records = "emergency records"
    case keys = "destroyed keys"

    var component: String {
      switch self {
      case .relay, .expiry, .reminders, .checkpoints: "requests"
      default: rawValue
      }
    }

    var line: String {
      switch self {
      case .revocations: "read revocations failed"
      case .answers: "delete expired data failed"
      case .deletions: "finish account deletions failed"
      case .accounts: "sweep accounts failed"
      case .notices: "mail notices failed"
      case .companyNames: "index company names failed"
      case .callbacks, .hospitals: "read due callbacks failed"
      case .imports: "process imports failed"
      case .groups: #""work":"groups""#
      case .relay, .expiry, .reminders, .checkpoints: #""work":"\#(rawValue)""#
      case .monitoring: "follow monitored accounts failed"
      case .emergencies: "read due emergencies failed"
      case .silence: "find silent devices failed"
      case .records: "find ended emergencies failed"
      case .keys: "follow destroyed keys failed"
      }
    }
  }

  @Test("a failing worker logs its component and the SQLSTATE", arguments: Worker.allCases)
  func refused(worker: Worker) async throws {
    let recorder = LogRecorder()
    try await TestDatabase.with(.data) { data in
      try await TestDatabase.with(.keys) { keys in
        let loop = try EventLoop.start(name: "workers")
        defer { loop.stop() }
        try await Task(executorPreference: loop) {
          let process = try TestProcess.components(
            on: loop,
            DatabasePair(
              data: Database(data.patientSettings(as: "data4help"), on: loop),
              keys: Database(keys.patientSettings(as: "data4help"), on: loop)),
            settings: LoopSettings(
              authentication: try #require(
                AuthenticationSettings(
                  publicURL: "https://trackme.test", sessionIdle: .seconds(60),
                  sessionMax: .seconds(60))),
              emergencies: .usual, answerWithinSeconds: 259_200, groupSeasoningDays: 0),
            clock: ManualClock(Instant(microsecondsSince1970: 1_795_000_000_000_000)),
            log: Log(process: "test", sink: recorder.sink))
          let components =
            process.workers(mail: Mailbox(), mailStopMax: .seconds(1)) + [process.keyForgetting]
          let component = try #require(components.first { "\($0.name)" == worker.component })
          // Monitoring reads its accounts before it starts.
          if worker == .monitoring { try await component.start() }
          try data.run("REVOKE ALL ON ALL TABLES IN SCHEMA data4help FROM data4help")
          try keys.run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM data4help")
          if worker != .monitoring { try await component.start() }
          try await eventually("the line") {
            recorder.lines.contains { $0.contains(worker.line) }
          }
          await component.stop()
        }.value
      }
    }
    let line = try #require(recorder.lines.first { $0.contains(worker.line) })
    #expect(line.contains(#""component":""#))
    #expect(line.contains(#""cause":""#) && line.contains("42501"), "\(line)")
  }
}
