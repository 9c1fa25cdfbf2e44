import Foundation
import Requirements
import Support
import Testing

@Suite("Secrets at rest")
struct CanaryTests {
  @Test(
    "no file contains email, fiscal code, name, password, token, values or notices in plain text",
    .tags(.NFR_5))
  func canaries() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    let value = "137.0625"
    try await user.upload("weight", [("2024-01-15T10:00:00Z", .text(value))])
    let request = try await party.ask(user, for: ["weight"])
    _ = try await user.post(
      "/req/single/choice", ["reqID": .text(request), "choice": "accept"], key: "canary")
    let data = try await party.get("/req/tp/data?reqID=\(request)")
    try #require(data.text.contains(value))
    // The content of a notice: the name of the requesting company.
    let notices = try await user.get("/notifications").text
    try #require(notices.contains(party.company.name) && notices.contains(party.company.purpose))
    let canaries = [
      user.person.email, user.person.fiscalCode, user.person.name, party.company.email,
      party.company.vatNumber, party.company.name, party.company.purpose, People.password,
      user.token, party.token, value,
    ]
    let databases = system.databaseHomes.map { $0 + "/data" }
    let dump = system.directory + "/dump.sql"
    try await Self.dump(system, to: dump)
    // Control: the search finds existing text.
    #expect(try await Self.filesWith(["idempotent_answers"], in: databases + [dump]).count >= 2)
    let places = databases + system.databaseLogs + [dump, system.state + "/logs"]
    let found = try await Self.filesWith(canaries, in: places)
    #expect(found.isEmpty, "found in \(found)")
  }

  @Test("no mail contains a password, neither the first one nor a changed one", .tags(.ACC_6))
  func mails() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let email = user.person.email
    let (second, third) = ("a canary in the second cage", "a canary in the third cage")
    let change: JSONValue = ["password": .text(People.password), "newPassword": .text(second)]
    #expect(try await user.post("/settings/single/info", change).outcome == .ok)
    #expect(
      try await user.client.post("/auth/password/forgot", ["email": .text(email)]).outcome == .ok)
    let mail = try await system.mailbox.mail(to: email, with: "password/reset?token=")
    let found = try #require(mail.firstMatch(of: /password\/reset\?token=([\w.-]+)/))
    let reset = try await user.client.post(
      "/auth/password/reset", ["token": .text(String(found.1)), "newPassword": .text(third)])
    #expect(reset.outcome == .ok, "\(reset.text)")
    let mails = try system.mailbox.mails(to: email)
    // At least the mails with the links of the registration and of the password reset.
    #expect(mails.count >= 2)
    for password in [People.password, second, third] {
      #expect(mails.allSatisfy { !$0.contains(password) })
    }
    // No other mail in its sent form contains a password either.
    let passwords = [People.password, second, third]
    #expect(try await Self.filesWith(passwords, in: [system.mailbox.path]).isEmpty)
    #expect(try await !Self.filesWith([email], in: [system.mailbox.path]).isEmpty)
  }

  /// The files below these places that contain one of the texts.
  private static func filesWith(
    _ texts: [String], in places: [String]
  ) async throws -> [String] {
    let patterns = texts.flatMap { ["-e", $0] }
    let command = ["grep", "-r", "-a", "-l", "-i", "-F"] + patterns + places
    let outcome = try await Program(command: command).run()
    try #require(outcome.status <= 2, "\(outcome.output)")
    // The output also reports files of the running database that were deleted meanwhile.
    return outcome.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("/") }
  }

  private static func dump(_ system: TestSystem, to path: String) async throws {
    let (arguments, environment) = try system.connecting(as: "trackme_owner")
    let outcome = try await system.postgres(
      ["pg_dump"] + arguments + ["trackme"], environment: environment)
    try #require(outcome.isSuccess, "\(outcome.output)")
    try outcome.output.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
