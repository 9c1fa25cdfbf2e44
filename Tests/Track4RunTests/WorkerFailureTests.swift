import FakeServices
import Operations
import PostgresFixture
import Support
import Testing
import Track4RunFixture

@Suite("Failures of the workers that synchronise with Data4Help")
struct WorkerFailureTests {
  /// A worker, the right without which it fails, and its line in the log.
  enum Worker: String, CaseIterable, Sendable {
    case lease, events, orders, opening, starts, results, counting

    var revoked: String {
      switch self {
      case .lease: "UPDATE ON track4run.leases"
      case .events: "SELECT ON track4run.change_feed_positions"
      case .orders: "SELECT ON track4run.outbox"
      case .opening, .starts, .results: "SELECT ON track4run.runs"
      case .counting: "SELECT ON track4run.dead_letters"
      }
    }

    var line: String {
      switch self {
      case .lease: "acquire lease failed"
      case .events: "consume events of Data4Help failed"
      case .orders: "send outbox orders failed"
      case .opening, .starts, .results, .counting: #""work":"\#(rawValue)""#
      }
    }
  }

  @Test(
    "a failing worker logs its component and the SQLSTATE",
    arguments: Worker.allCases)
  func refused(worker: Worker) async throws {
    let recorder = LogRecorder()
    try await RunFixture.with { fixture in
      try fixture.test.run("REVOKE \(worker.revoked) FROM track4run")
      try await FakeData4Help.with { fake in
        let log = Log(process: "test", sink: recorder.sink)
        try await fixture.conversing(with: fake, log: log) {
          try await eventually("the line") {
            recorder.lines.contains { $0.contains(worker.line) }
          }
        }
      }
    }
    let line = try #require(recorder.lines.first { $0.contains(worker.line) })
    #expect(line.contains(#""component":""#))
    #expect(line.contains(#""cause":""#) && line.contains("42501"))
  }
}
