import Foundation
import Requirements
import Support
import Testing

@Suite("The templates of documents, through the gateway")
struct DocumentTemplatesJourney {
  private static let settings = [
    "TRACKME_DOCUMENTS": "templates", "TRACKME_OPERATOR": "Esempio S.p.A., Milano",
    "TRACKME_CONTACT": "privacy@example.it", "TRACKME_KEEP_IMPORTS": "77",
  ]

  /// The consents that a kind of account needs.
  private static func consents(of kind: String, in documents: [JSONValue]) -> JSONValue {
    .array(
      documents.filter { $0.accountTypes.texts.contains(kind) }.map {
        ["document": $0.document, "version": $0.version]
      })
  }

  @Test(
    "templates in both languages need consent, until the operator publishes its own texts",
    .tags(.ACC_2, .NFR_6), .timeLimit(.minutes(5)))
  func templates() async throws {
    let system = try await TestSystem(Self.settings)
    let client = try PublicClient(system)
    let documents = try await client.get("/auth/documents").json.documents.items
    #expect(
      documents.compactMap(\.document.text).sorted() == [
        "jurisdiction", "liability", "privacy", "terms",
      ])
    for document in documents {
      #expect(document.version == "template-1")
      let translations = document.translations.items
      #expect(translations.compactMap(\.language.text) == ["en", "it"])
      #expect(document["text"] == translations[1]["text"])
      for translation in translations {
        let text = try #require(translation["text"].text)
        #expect(text.contains("Esempio S.p.A., Milano"), "\(document.document)")
        #expect(!text.contains("{"), "\(document.document)")
      }
    }
    let privacy = try #require(documents.first { $0.document == "privacy" })
    #expect(privacy["text"].text?.contains("privacy@example.it") == true)
    #expect(privacy["text"].text?.contains("dopo 77 giorni") == true)
    try await Self.register(system, client, documents)
    try await Self.republish(system, client)
    await system.stop()
  }

  /// A person consents to two documents, a company to four.
  private static func register(
    _ system: TestSystem, _ client: PublicClient, _ documents: [JSONValue]
  ) async throws {
    let person = People.person()
    let refused = try await client.post("/auth/reg/single", person.registration)
    #expect((refused.outcome, refused.field) == (.malformed, "consents"))
    let given = consents(of: "single", in: documents)
    #expect(given.count == 2)
    let registered = try await client.post(
      "/auth/reg/single", person.registration.with("consents", given))
    #expect(registered.outcome == .ok, "\(registered.text)")
    let mail = try await system.mailbox.activationMail(to: person.email)
    _ = try await client.get("/auth/activ?activToken=\(try Mailbox.activationToken(in: mail))")
    let token = try await system.logIn(person.email, client)
    let ledger = try await client.get("/auth/consents", token: token).json.consents
    #expect(ledger.items.map(\.version) == ["template-1", "template-1"])
    let company = People.company()
    let partly = try await client.post(
      "/auth/reg/tp", company.registration.with("consents", given))
    #expect((partly.outcome, partly.field) == (.malformed, "consents"))
    let all = company.registration.with("consents", consents(of: "tp", in: documents))
    #expect(try await client.post("/auth/reg/tp", all).outcome == .ok)
  }

  /// Another setting is a new version; a text of the operator stays.
  private static func republish(_ system: TestSystem, _ client: PublicClient) async throws {
    let files = ["it", "en"].map { "\(system.directory)/privacy.\($0).txt" }
    for file in files {
      try "Title of \(file.suffix(6))\nText\n".write(
        toFile: file, atomically: true, encoding: .utf8)
    }
    let published = try await system.trackme(
      "documents", "publish", "privacy", "1", "it=\(files[0])", "en=\(files[1])")
    #expect(published.isSuccess, "\(published.output)")
    let reserved = try await system.trackme(
      "documents", "publish", "terms", "template-9", files[0])
    #expect(!reserved.isSuccess)
    _ = try await system.trackme("stop")
    let settings = Self.settings.merging(["TRACKME_OPERATOR": "Altro S.r.l."]) { $1 }
    let again = try await system.trackme(["start"], with: settings)
    #expect(again.isSuccess, "\(again.output)")
    let documents = try await client.get("/auth/documents").json.documents.items
    for document in documents {
      let isOwn = document.document == "privacy"
      #expect(document.version == (isOwn ? "1" : "template-2"))
      #expect(document.translations[0].title.text?.contains("en.txt") == isOwn)
      if !isOwn { #expect(document["text"].text?.contains("Altro S.r.l.") == true) }
    }
  }
}
