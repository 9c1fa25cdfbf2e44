import Foundation
import Requirements
import Support
import Testing

@Suite("Demo data")
struct DemoJourney {
  @Test("a new installation has two logins, samples, a request and a run, created only once")
  func demo() async throws {
    let system = try await TestSystem(
      ["TRACKME_DEMO": "1", "TRACKME_DOCUMENTS": "templates"], hasMailServer: false)
    let client = try PublicClient(system)
    try await look(client)
    await system.stop()
    let second = try await system.trackme("start")
    #expect(second.isSuccess, "\(second.output)")
    #expect(second.output.contains("anna.bianchi@example.org"))
    #expect(second.output.contains("trackme-lab' simulate run --state '\(system.state)'"))
    try await look(client)
    try await follow(second.output)
    try await complete(system)
    await system.stop()
  }

  /// Loading the data again, as after an interruption, reports each step.
  private func complete(_ system: TestSystem) async throws {
    try FileManager.default.removeItem(atPath: system.state + "/demo-logins")
    let outcome = try await system.lab("demo")
    #expect(outcome.isSuccess, "\(outcome.output)")
    let lines = outcome.output.split(separator: "\n").map { $0.replacing(#/^\d+ s: /#, with: "") }
    #expect(
      lines == [
        "Loading demo data.", "the account of a person", "the account of a hospital",
        "1740 samples of 60 days", "a request of the hospital to the person", "a run next week",
      ])
  }

  /// The commands that the greeting prints show the company its request.
  private func follow(_ greeting: String) async throws {
    let commands = greeting.split(separator: "\n").filter {
      $0.hasPrefix("  TOKEN=") || $0.hasPrefix("  curl ")
    }
    #expect(commands.count == 2, "\(greeting)")
    let script = commands.joined(separator: "\n")
    let shown = try await Program(command: ["/bin/bash", "-c", script]).run()
    let answer = try JSONValue(Array(shown.output.utf8))
    #expect(answer.requests.items.map(\.status) == ["pending"], "\(shown.output)")
  }

  private func look(_ client: PublicClient) async throws {
    let login = try await client.post(
      "/auth/login",
      [
        "email": "anna.bianchi@example.org", "password": "demo-password-of-anna", "replace": true,
      ])
    let token = try #require(login.json.authToken.text, "\(login.text)")
    let consents = try await client.get("/auth/consents", token: token).json.consents
    #expect(consents.items.compactMap { $0.document.text }.sorted() == ["privacy", "terms"])
    let stats = try await client.get("/data/stats?types=heartRate", token: token).json
    #expect(stats.dataTypes[0].countMember == 1440)
    let requests = try await client.get("/req/single/list", token: token).json.requests
    #expect(requests.items.map(\.status) == ["pending"])
    let runs = try await client.get("/t4r/active/list").json.run
    #expect(runs.items.map(\.code) == ["DEMO2026"])
    let page = try await client.get("/r/DEMO2026")
    #expect(page.status == 200)
    let named: JSONValue = ["runID": runs[0].runID]
    let specification = try await client.post("/t4r/active/spec", named).json
    #expect(specification.path.items.last?.coordinate == runs[0].endPoint)
    #expect((4000.0...6000.0).contains(specification.length.number ?? 0))
  }
}
