import Data4Help
import Domain
import Foundation
import HTTP
import PublicAPI
import Requirements
import Services
import Testing

@Suite("Companies by name")
struct CompanyLookupTests {
  private func names(
    _ stage: AuthenticationStage, _ query: String, by person: Identity
  ) async throws -> [String] {
    let reply = try await stage.call(.lookUpCompanies, query: "query=\(query)", by: person)
    try #require(reply.status == 200, "\(String(describing: reply.problem))")
    let object = try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any]
    let entries = try #require(object?["companies"] as? [[String: Any]])
    return entries.compactMap { $0["company_name"] as? String }
  }

  private func index(_ stage: AuthenticationStage) async throws {
    try await CompanyNameIndexing(stage.surroundings).run()
  }

  @Test("activated companies are found by the beginning of a word, near names first", .tags(.REQ_3))
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
      // Two letters, the middle of a word, another name, nothing at all.
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
      // Whether the index was made anew or not.
      #expect(try await names(stage, "acme", by: mario).isEmpty)
      try await index(stage)
      #expect(try await names(stage, "acme", by: mario).isEmpty)
      #expect(try await names(stage, "bian", by: mario) == ["Bianchi"])
      try await index(stage)
      let rows = try stage.data.cell("SELECT count(*) FROM data4help.company_name_prefixes")
      #expect(rows == "5")
    }
  }

  @Test("a third party and somebody without a token can't search companies", .tags(.REQ_3, .R5))
  func others() async throws {
    try await AuthenticationStage.with { stage in
      let acme = try await stage.company()
      #expect(try await stage.call(.lookUpCompanies, query: "query=acm", by: acme).status == 401)
      #expect(try await stage.call(.lookUpCompanies, query: "query=acm").status == 401)
    }
  }
}
