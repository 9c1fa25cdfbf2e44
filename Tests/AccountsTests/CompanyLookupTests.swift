import Accounts
import Data4HelpFixture
import Domain
import Foundation
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Testing

@Suite("Companies by name")
struct CompanyLookupTests {
  private func names(
    _ stage: AuthenticationStage, _ query: String, by person: Identity
  ) async throws -> [String] {
    let reply = try await stage.call(.lookUpCompanies, query: "query=\(query)", by: person)
    try #require(reply.status == 200, "\(String(describing: reply.problem))")
    let object = try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any]
    let entries = try #require(object?["companies"] as? [[String: Any]])
    return entries.compactMap { $0["company_name"] as? String }
  }

  private func index(_ stage: AuthenticationStage) async throws {
    try await CompanyNameIndexing(stage.parts).run()
  }

  @Test("activated companies are found by the prefix of a word, near names first", .tags(.REQ_3))
  func found() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      _ = try await stage.company(
        Sent.acme.with("company_name", "Studi Acmeo e Figli").with("piva", "00743110157")
          .with("email", "figli@example.org"))
      _ = try await stage.company()
      try await index(stage)
      #expect(
        try await names(stage, "acm", by: mario) == ["Acme S.p.A.", "Studi Acmeo e Figli"])
      #expect(try await names(stage, "ACME%20s.p", by: mario) == ["Acme S.p.A."])
      #expect(try await names(stage, "studi%20ac", by: mario) == ["Studi Acmeo e Figli"])
      #expect(try await names(stage, "acm&limit=1", by: mario) == ["Acme S.p.A."])
      // Two letters, the middle of a word, another name, a text without letters.
      for query in ["ac", "cme", "acmex", "%26"] {
        #expect(try await names(stage, query, by: mario).isEmpty, "\(query)")
      }
    }
  }

  @Test(
    "a company that is not activated is not found, and a renamed one by its new name", .tags(.REQ_3)
  )
  func notFound() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      _ = try await stage.registerCompany()
      try await index(stage)
      #expect(try await names(stage, "acme", by: mario).isEmpty)
      _ = try await stage.activate(try await stage.mailbox.nextToken())
      try await index(stage)
      #expect(try await names(stage, "acme", by: mario) == ["Acme S.p.A."])
      let acme = try await stage.logIn(Sent.acme["email"], Sent.acme["password"])
      let rename = ["password": "company pass phrase", "company_name": "Bianchi"]
      #expect(try await stage.call(.changeThirdParty, Sent.json(rename), by: acme).status == 200)
      // Before and after the rebuild of the index.
      #expect(try await names(stage, "acme", by: mario).isEmpty)
      try await index(stage)
      #expect(try await names(stage, "acme", by: mario).isEmpty)
      #expect(try await names(stage, "bian", by: mario) == ["Bianchi"])
      try await index(stage)
      let rows = try stage.data.cell("SELECT count(*) FROM data4help.company_name_prefixes")
      #expect(rows == "5")
    }
  }

  /// Leaves companies in the state of a version with another folding of names: reserved and indexed
  /// under hashes that are no longer computed.
  private func makeOlder(_ stage: AuthenticationStage) throws {
    try stage.data.run(
      """
      UPDATE data4help.accounts SET name_folding = 0;
      DELETE FROM data4help.company_name_prefixes;
      DELETE FROM data4help.account_identifiers;
      """)
  }

  @Test(
    "names of an older version are indexed and reserved again; two that are now equal stay",
    .tags(.ACC_12, .REQ_3))
  func olderVersion() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      _ = try await stage.company()
      try await index(stage)
      try makeOlder(stage)
      try await index(stage)
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.account_identifiers") == "1")
      #expect(try await names(stage, "acm", by: mario) == ["Acme S.p.A."])
      let third = Sent.acme.with("company_name", "ACME").with("piva", "07643520567")
        .with("email", "else@else.example")
      let refused = try await stage.registerCompany(third)
      #expect(refused.status == 403)
      #expect(refused["field"] == "company_name")
      try makeOlder(stage)
      _ = try await stage.company(
        Sent.acme.with("company_name", "Acm\u{119}").with("piva", "00743110157")
          .with("email", "figli@example.org"))
      try await index(stage)
      #expect(
        Set(try await names(stage, "acm", by: mario)) == ["Acme S.p.A.", "Acm\u{119}"])
      #expect(try await stage.registerCompany(third)["field"] == "company_name")
    }
  }

  @Test(
    "a name indexed by a process of an older version is indexed again",
    .tags(.REQ_3, .RUN_7))
  func changedDuringUpdate() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let acme = try await stage.company()
      try await index(stage)
      let rename = ["password": "company pass phrase", "company_name": "Bianchi"]
      #expect(try await stage.call(.changeThirdParty, Sent.json(rename), by: acme).status == 200)
      // Simulates the worker of an older version, which enters the name under its own hashes.
      try stage.data.run(
        """
        UPDATE data4help.accounts SET name_is_indexed = true WHERE kind = 2;
        DELETE FROM data4help.company_name_prefixes;
        """)
      try await index(stage)
      #expect(try await names(stage, "bian", by: mario) == ["Bianchi"])
      try stage.data.run(
        """
        UPDATE data4help.accounts SET full_name_blind = '\\x00', name_folding = 1 WHERE kind = 1
        """)
      let change = ["password": "correct horse battery", "full_name": "Mario Bianchi"]
      #expect(try await stage.call(.changeSingleUser, Sent.json(change), by: mario).status == 200)
      let waiting: StaticString = """
        SELECT count(*) FROM data4help.accounts
         WHERE kind = 1 AND full_name_blind IS NULL AND name_folding = 0
        """
      #expect(try stage.data.cell(waiting) == "1")
    }
  }

  @Test("third parties and anonymous clients can't search companies", .tags(.R5))
  func others() async throws {
    try await AuthenticationStage.with { stage in
      let acme = try await stage.company()
      #expect(try await stage.call(.lookUpCompanies, query: "query=acm", by: acme).status == 401)
      #expect(try await stage.call(.lookUpCompanies, query: "query=acm").status == 401)
    }
  }
}
