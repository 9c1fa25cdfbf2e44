import Data4HelpFixture
import Domain
import HTTP
import Requirements
import Testing

@Suite("Pending requests")
struct PendingRequestTests {
  private static let question =
    "{\"email\":\"\(Known.marioEmail)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}"

  @Test(
    "a third party has at most twenty pending with one person, even if sent at once",
    .tags(.R10))
  func flood() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<25 {
          group.addTask { try await stage.send(Self.question).status }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 20, 429: 5])
      #expect(try await stage.send(Self.question, by: Known.studio).status == 200)
      let toLaura = Self.question.replacing(Known.marioEmail, with: Known.lauraEmail)
      try await stage.store(1, for: Known.laura)
      #expect(try await stage.send(toLaura).status == 200)
    }
  }

  @Test("an answer or an expiry admits another", .tags(.R10, .REQ_1))
  func room() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let first = try await stage.ask()
      stage.clock.advance(seconds: 100)
      for _ in 1..<20 { _ = try await stage.ask() }
      let refused = try await stage.send(Self.question)
      #expect(refused.status == 429)
      #expect(refused.fields[.retryAfter] == "\(3 * 86_400 - 100)")
      #expect(try await stage.choose("decline", first).status == 200)
      _ = try await stage.ask()
      #expect(try await stage.send(Self.question).status == 429)
    }
  }
}
