import Data4HelpFixture
import Domain
import Mail
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Consents")
struct ConsentTests {
  private func publish(
    _ stage: AuthenticationStage, _ document: String, _ version: String, _ year: String
  ) throws {
    _ = try stage.data.session().rows(
      """
      INSERT INTO data4help.documents (document, version, title, body, published_at)
      VALUES ($1, $2, 'Title', 'Text', ($3 || '-01-01')::timestamptz)
      """, [document, version, year])
  }

  private func consents(_ given: (String, String)...) -> [[String: String]] {
    given.map { ["document": $0.0, "version": $0.1] }
  }

  private func register(
    _ stage: AuthenticationStage, _ endpoint: Endpoint, _ fields: [String: Any],
    _ consents: [[String: String]]
  ) async throws -> Reply {
    try await stage.call(
      endpoint, Sent.json(fields.merging(["consents": consents]) { $1 }))
  }

  @Test("registering needs no consent while no document is published", .tags(.ACC_2))
  func nothing() async throws {
    try await AuthenticationStage.with { stage in
      let documents = try await stage.call(.documents)
      #expect(documents.text == #"{"documents":[]}"#)
      let mario = try await stage.person()
      #expect(try await stage.call(.consents, by: mario).text == #"{"consents":[]}"#)
      let reply = try await register(
        stage, .registerSingleUser, Sent.bianca, consents(("privacy", "1")))
      #expect(reply.status == 400)
      #expect(reply["field"] == "consents")
    }
  }

  @Test("registering needs consent to the newest version of each document", .tags(.ACC_2))
  func needed() async throws {
    try await AuthenticationStage.with { stage in
      try publish(stage, "privacy", "1", "2024")
      try publish(stage, "privacy", "2", "2025")
      try publish(stage, "terms", "a", "2025")
      try publish(stage, "liability", "x", "2025")
      try publish(stage, "jurisdiction", "y", "2025")
      let wrong: [[[String: String]]] = [
        [], consents(("privacy", "2")), consents(("privacy", "1"), ("terms", "a")),
        consents(("privacy", "2"), ("terms", "b")),
        consents(("privacy", "2"), ("terms", "a"), ("liability", "x")),
        consents(("privacy", "2"), ("privacy", "2"), ("terms", "a")),
        consents(("other", "1"), ("privacy", "2"), ("terms", "a")),
      ]
      for given in wrong {
        let reply = try await register(stage, .registerSingleUser, Sent.mario, given)
        #expect(reply.status == 400, "\(given)")
        #expect(reply["field"]?.hasPrefix("consents") == true)
      }
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "0")
      let mario = try await stage.person(
        ["consents": consents(("privacy", "2"), ("terms", "a"))].merging(Sent.mario) { $1 })
      let ledger = try await stage.call(.consents, by: mario)
      #expect(
        ledger.text.contains(
          #"{"document":"privacy","version":"2","givenAt":"\#(stage.clock.now)"}"#),
        "\(ledger.text)")
      let partly = try await register(
        stage, .registerThirdParty, Sent.acme, consents(("privacy", "2"), ("terms", "a")))
      #expect(partly.status == 400)
      let all = consents(
        ("privacy", "2"), ("terms", "a"), ("liability", "x"), ("jurisdiction", "y"))
      #expect(try await register(stage, .registerThirdParty, Sent.acme, all).status == 200)
    }
  }

  @Test("the newest version of a document is shown in each of its languages", .tags(.ACC_2, .NFR_8))
  func languages() async throws {
    try await AuthenticationStage.with { stage in
      for (version, year) in [("1", "2024"), ("2", "2025")] {
        try publish(stage, "privacy", version, year)
        for language in ["it", "en"] {
          _ = try stage.data.session().rows(
            """
            INSERT INTO data4help.document_translations (document, version, language, title, body)
            VALUES ('privacy', $1, $2, 'Title in ' || $2, 'Text ' || $1)
            """, [version, language])
        }
      }
      try publish(stage, "terms", "a", "2025")
      let text = try await stage.call(.documents).text
      #expect(
        text.contains(
          #""translations":[{"language":"en","title":"Title in en","text":"Text 2"},"#
            + #"{"language":"it","title":"Title in it","text":"Text 2"}]"#),
        "\(text)")
      #expect(text.contains(#""translations":[]"#))
      #expect(!text.contains("Text 1"))
    }
  }

  @Test("a later version is accepted in the settings, and the ledger keeps both", .tags(.ACC_2))
  func later() async throws {
    try await AuthenticationStage.with { stage in
      try publish(stage, "privacy", "1", "2024")
      let mario = try await stage.person(
        ["consents": consents(("privacy", "1"))].merging(Sent.mario) { $1 })
      try publish(stage, "privacy", "2", "2025")
      stage.clock.advance(by: .seconds(1))
      for _ in 0..<2 {
        let body: [String: Any] = [
          "password": "correct horse battery", "consents": consents(("privacy", "2")),
        ]
        #expect(
          try await stage.call(.changeSingleUser, Sent.json(body), by: mario).status == 200)
      }
      let versions = try stage.data.cell(
        "SELECT string_agg(version, ' ' ORDER BY given_at) FROM data4help.consents")
      #expect(versions == "1 2")
      let old: [String: Any] = [
        "password": "correct horse battery", "consents": consents(("privacy", "1")),
      ]
      #expect(try await stage.call(.changeSingleUser, Sent.json(old), by: mario).status == 400)
    }
  }
}

@Suite("Children")
struct ParentTests {
  /// A registration with a fiscal code of this birth.
  private static func child(_ day: String, _ middle: String) -> [String: String] {
    let code = (65..<91).map { "RSSMRA\(middle)\(Character(Unicode.Scalar(UInt8($0))))" }
      .first { (try? FiscalCode($0)) != nil }
    return Sent.mario.with("birthdate", day).with("fc", code)
  }

  @Test("under the age of 14 a parent's email is needed, from 14 on none", .tags(.ACC_13))
  func limit() async throws {
    // The clock of the stage starts at 18 November 2026.
    try await AuthenticationStage.with { stage in
      let young = Self.child("2012-11-19", "12S19H501")
      let reply = try await stage.registerPerson(young)
      #expect(reply.status == 400)
      #expect(reply["field"] == "parent_email")
      let own = try await stage.registerPerson(young.with("parent_email", young["email"]))
      #expect(own["field"] == "parent_email")
      #expect(try await stage.registerPerson(young.with("parent_email", "x")).status == 400)
      let old = Self.child("2012-11-18", "12S18H501")
      #expect(try await stage.registerPerson(old).status == 200)
    }
  }

  @Test(
    "the account works once child and parent have followed their links, in either order",
    .tags(.ACC_13, .ACC_1), arguments: [true, false])
  func confirmation(parentFirst: Bool) async throws {
    try await AuthenticationStage.with { stage in
      let child = Self.child("2016-03-04", "16C04H501")
      let reply = try await stage.registerPerson(
        child.with("parent_email", "parent@example.org"))
      #expect(reply.status == 200)
      var tokens: [String: String] = [:]
      for _ in 0..<2 {
        let mail = try await stage.mailbox.next()
        let token = try #require(mail.text.firstMatch(of: /activToken=(\S+)/))
        tokens[mail.to.text] = String(token.1)
      }
      let parents = try #require(tokens.first { $0.key.contains("parent@") }?.value)
      let own = try #require(tokens.first { $0.key.contains("mario") }?.value)
      let (first, second) = parentFirst ? (parents, own) : (own, parents)
      #expect(try await stage.activate(first)["message"] == "Confirmation received")
      #expect(try await stage.activate(first)["error"] == "Already activated")
      #expect(try await stage.login().status == 401)
      #expect(try await stage.activate(second)["message"] == "Account activated")
      #expect(try await stage.activate(parents)["error"] == "Already activated")
      #expect(try await stage.login().status == 200)
    }
  }
}
