import Foundation
import Requirements
import Support
import Testing

@Suite("A town for developers, made by the lab", .serialized)
struct SandboxJourney {
  // One town serves all checks, because making it takes most of the time.
  @Test(
    "a developer receives the stored samples of a person, then live ones, with the printed key",
    .tags(.OPS_8, .REQ_2, .REQ_3), .timeLimit(.minutes(10)))
  func firstSample() async throws {
    let system = try await TestSystem(["TRACKME_DOCUMENTS": "templates"], hasMailServer: false)
    let made = try await system.lab("sandbox", "--people", "20", "--days", "30")
    try #require(made.isSuccess, "\(made.output)")
    let keys = made.output.matches(of: #/tmk_[A-Za-z0-9_-]{64}/#)
    let key = String(try #require(keys.first).output)
    let emails = made.output.matches(of: #/"email":"([^"]+)"/#)
    let person = String(try #require(emails.first).output.1)
    let client = try PublicClient(system)

    let begun = Date().timeIntervalSince1970
    let live = Task { try await system.lab("sandbox", "--live", "--for", "30") }
    let asked = try await client.post(
      "/req/tp/sendSingle", token: key,
      [
        "email": .text(person), "dataTypes": ["heartRate"], "subscribing": true,
        "duration": 86_400,
      ])
    try #require(asked.outcome == .ok, "\(asked.text)")
    let sent = try await client.get("/req/tp/list", token: key).json.requests
    #expect(sent.items.map(\.status) == ["accepted"])
    let stream = try EventReader("/req/tp/stream", key, of: system)
    defer { stream.stop() }
    let stored = try await eventually("the stored samples") {
      stream.events.first { $0.name == "data" }?.data["data"].samples
    }
    #expect(stored.count > 100)
    #expect((30.0...220.0).contains(try #require(stored[0].value.number)))
    _ = try await eventually("a live sample", within: .seconds(60)) {
      let samples = stream.events.flatMap { $0.data["data"].samples.items }
      return samples.first { (TestTimes.seconds($0.timestamp.text ?? "") ?? 0) >= begun }
    }
    let outcome = try await live.value
    #expect(outcome.isSuccess, "\(outcome.output)")
    try await people(person, client)
    try await parties(client)
    try await again(system, key, client)
    try await interrupted(system)
    await system.stop()
    let stopped = try await system.lab("sandbox", "--live")
    #expect(stopped.status == 1)
    #expect(stopped.output.contains("Is the system running?"), "\(stopped.output)")
  }

  private static let password = "password-of-the-sandbox"

  private func logIn(_ email: String, _ client: PublicClient) async throws -> String {
    let reply = try await client.post(
      "/auth/login", ["email": .text(email), "password": .text(Self.password), "replace": true])
    return try #require(reply.json.authToken.text, "\(reply.text)")
  }

  /// Every person can log in, and has a profile, consents and a month of life.
  private func people(_ email: String, _ client: PublicClient) async throws {
    let token = try await logIn(email, client)
    let profile = try await client.get("/auth/me", token: token)
    #expect(profile.outcome == .ok, "\(profile.text)")
    let stats = try await client.get("/data/stats?types=steps,heartRate", token: token).json
    #expect(stats.dataTypes.count == 2, "\(stats)")
    let consents = try await client.get("/auth/consents", token: token).json.consents
    #expect(consents.items.compactMap { $0.document.text }.sorted() == ["privacy", "terms"])
    let trusted = try await client.get("/settings/single/preconfirmed", token: token).json
    #expect(trusted.thirdParties.items.map(\.company_name) == ["Lodi Health Lab"])
  }

  /// The hospital is on duty; the weekly run has past results and a next date.
  private func parties(_ client: PublicClient) async throws {
    let hospital = try await logIn("sandbox-hospital@example.org", client)
    #expect(try await client.get("/sos/calls", token: hospital).json.onDuty == true)
    let club = try await logIn("sandbox-club@example.org", client)
    let future = try await client.get("/t4r/org/list?when=future", token: club).json.runs
    #expect(future.items.map(\.published) == [true])
    #expect(try #require(future[0].enrolled.int) > 0)
    let past = try await client.get("/t4r/org/list?when=past", token: club).json.runs
    let code = try #require(past[0].code.text, "\(past)")
    let runID = try #require(past[0].runID.int)
    let runners = try await client.get("/t4r/org/participants?runID=\(runID)", token: club)
    let name = try #require(runners.json.participants[0].runnerName.text, "\(runners.text)")
    let page = try await client.get("/r/\(code)")
    #expect(page.status == 200 && page.text.contains(name), "\(page.text)")
  }

  /// A second call changes nothing; the company is too small for groups here.
  private func again(_ system: TestSystem, _ key: String, _ client: PublicClient) async throws {
    let second = try await system.lab("sandbox")
    #expect(second.isSuccess, "\(second.output)")
    #expect(second.output.contains("exists already: 20 people, 30 days"), "\(second.output)")
    #expect(!second.output.contains("tmk_"))
    let group = try await client.post(
      "/req/tp/sendGroup", token: key,
      [
        "dataTypes": ["heartRate"], "searchParams": ["residence.municipality=Lodi"],
        "subscribing": false,
      ])
    #expect(group.json.reason == "too few people", "\(group.text)")
  }

  /// A town that was begun is completed by the same call, without a second copy of anything.
  private func interrupted(_ system: TestSystem) async throws {
    let marker = URL(filePath: system.state + "/sandbox")
    let complete = try String(contentsOf: marker, encoding: .utf8)
    let begun = complete.replacing("complete", with: "begun")
    try Data(begun.utf8).write(to: marker)
    let other = try await system.lab("sandbox", "--people", "30", "--days", "30")
    #expect(other.status == 1)
    #expect(other.output.contains("--people 20 --days 30 --seed 1"), "\(other.output)")
    let again = try await system.lab("sandbox", "--people", "20", "--days", "30")
    #expect(again.isSuccess, "\(again.output)")
    #expect(again.output.contains("20 people, who exist already"), "\(again.output)")
    #expect(again.output.contains("0 weekly runs"), "\(again.output)")
    #expect(try String(contentsOf: marker, encoding: .utf8) == complete)
  }

  @Test("with a real mail server, or for wrong arguments, no town is made", .tags(.OPS_8))
  func refused() async throws {
    let system = try await TestSystem.shared()
    let outcome = try await system.lab("sandbox")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("mail server"), "\(outcome.output)")
    let wrong = try await system.lab("sandbox", "--people", "1")
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("usage: trackme-lab sandbox"), "\(wrong.output)")
  }
}
