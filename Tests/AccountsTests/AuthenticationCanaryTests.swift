import Bytes
import Data4HelpFixture
import Foundation
import Operations
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Data that must stay hidden")
struct AuthenticationCanaryTests {
  @Test("the database's dump and the log contain no personal data", .tags(.NFR_5))
  func canaries() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let activation = try await stage.mailbox.nextToken()
      _ = try await stage.registerPerson(Sent.bianca)
      _ = try await stage.registerCompany()
      _ = try await stage.activate(activation)
      let session = try #require(try await stage.login()["authToken"])
      for _ in 0..<4 { _ = try await stage.login(password: "a wrong canary") }
      var canaries = [activation, session, "a wrong canary"]
      for person in [Sent.mario, Sent.bianca, Sent.acme] {
        for field in ["email", "password", "fc", "full_name", "piva", "company_name"] {
          if let value = person[field] { canaries.append(value) }
        }
      }
      canaries += ["Mario", "Rossi", "acme", "hearts", "12345670157"]
      let whole = try Self.dump(stage.data) + Self.dump(stage.keys)
      #expect(whole.contains("begun_registrations"))
      // The salt and the tag of a password's hash are random Base64, which contains any short word
      // now and then.
      let cells = whole.split { $0 == "\t" || $0 == "\n" }
      #expect(cells.contains { $0.hasPrefix("$argon2id$") })
      let dump = cells.filter { !$0.hasPrefix("$argon2id$") }.joined(separator: "\n")
      let log = stage.logged.lines.joined(separator: "\n")
      for canary in canaries {
        // A dump contains bytea as hexadecimal digits.
        let hidden = Hexadecimal.encode(canary.utf8.span)
        #expect(!dump.localizedCaseInsensitiveContains(canary), "\(canary) is in the dump")
        #expect(!dump.contains(hidden), "\(canary) is in the dump as bytes")
        #expect(!log.localizedCaseInsensitiveContains(canary), "\(canary) is in the log")
      }
    }
  }

  private static func dump(_ database: TestDatabase) throws -> String {
    let outcome = try Program(command: [
      // The names of Italian places are not personal data; PostGIS function names appear only in
      // privileges.
      "pg_dump", "--exclude-schema", "reference", "--no-privileges", "--dbname", database.url(),
    ]).runAndBlock()
    #expect(outcome.isSuccess)
    return outcome.output
  }
}
