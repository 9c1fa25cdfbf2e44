import Data4Help
import Data4HelpFixture
import Domain
import InternalAPI
import JSON
import Postgres
import PostgresFixture
import Requirements
import Testing

@Suite("The accounts of Track4Run")
struct InternalPeopleTests {
  @Test("people are returned with their names, companies with their public data", .tags(.RUN_7))
  func people() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try stage.run("UPDATE data4help.accounts SET state = 3 WHERE account_id = 12")
      try stage.run("UPDATE data4help.accounts SET state = 1 WHERE account_id = 22")
      let asked = [Known.mario, Known.laura, Known.clinic, Known.studio, AccountID(rawValue: 99)]
      let people = try await stage.whoAre(asked)
      #expect(
        people.sorted { $0.account < $1.account } == [
          KnownPerson(Known.mario, isActive: true, .singleUser(name: "A")),
          KnownPerson(Known.laura, isActive: false, .singleUser(name: "A")),
          KnownPerson(
            Known.clinic, isActive: true,
            .thirdParty(
              companyName: "Clinic", email: "clinic@example.com", vatNumber: "12345670157")),
        ])
    }
  }

  @Test("a deleted account is unknown", .tags(.ACC_8))
  func deleted() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let parts = stage.parts
      try await stage.here { try await AccountDeletion(parts.sharing).delete(Known.mario) }
      #expect(try await stage.whoAre([Known.mario]).isEmpty)
      #expect(try await stage.found("{\"email\":\"\(Known.marioEmail)\"}") == nil)
    }
  }

  @Test("a person is found only by email and fiscal code", .tags(.RUN_7))
  func find() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      #expect(try await stage.found("{\"email\":\"\(Known.marioEmail)\"}") == Known.mario)
      #expect(try await stage.found("{\"fc\":\"\(Known.lauraCode)\"}") == Known.laura)
      #expect(try await stage.found("{\"email\":\"nobody@example.org\"}") == nil)
      #expect(try await stage.found("{\"email\":\"clinic@example.com\"}") == nil)
      try stage.run("UPDATE data4help.accounts SET state = 3 WHERE account_id = 11")
      #expect(try await stage.found("{\"email\":\"\(Known.marioEmail)\"}") == nil)
      for wrong in [
        "{}", "{\"email\":\"x\"}",
        "{\"email\":\"\(Known.marioEmail)\",\"fc\":\"\(Known.marioCode)\"}",
      ] {
        #expect(try await stage.callInternally(InternalPath.find, wrong).status == 400)
      }
    }
  }
}

extension InternalPeopleTests {
  @Test(
    "people are found by full name only among the given accounts", .tags(.RUN_7))
  func names() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let hashes: StaticString =
        "SELECT count(*) FROM data4help.accounts WHERE full_name_blind IS NOT NULL"
      // A name is hashed only when the person is searched for.
      #expect(try stage.installation.data.cell(hashes) == "0")
      let accounts = [Known.mario, Known.clinic, AccountID(rawValue: 99)]
      for name in ["A", " a\u{300} "] {
        #expect(try await stage.named(name, among: accounts) == [Known.mario])
      }
      #expect(try await stage.named("B", among: accounts) == [])
      #expect(try await stage.named("Clinic", among: accounts) == [])
      #expect(try stage.installation.data.cell(hashes) == "1")
      // A hash from an older folding of names is recomputed.
      try stage.run(
        """
        UPDATE data4help.accounts SET full_name_blind = '\\x00', name_folding = 0
         WHERE account_id = 11
        """)
      #expect(try await stage.named("A", among: accounts) == [Known.mario])
      let folding: StaticString =
        "SELECT name_folding FROM data4help.accounts WHERE account_id = 11"
      #expect(try stage.installation.data.cell(folding) == "1")
      #expect(
        try await stage.named("A", among: [Known.mario, Known.laura])
          == [Known.mario, Known.laura])
      try stage.run("UPDATE data4help.accounts SET state = 3 WHERE account_id = 11")
      #expect(try await stage.named("A", among: accounts) == [])
      #expect(try await stage.callInternally(InternalPath.names, "{\"name\":\"A\"}").status == 400)
    }
  }

  @Test("a company is found by its email, and no person is", .tags(.RUN_2))
  func companies() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let clinic = KnownPerson(
        Known.clinic, isActive: true,
        .thirdParty(
          companyName: "Clinic", email: "clinic@example.com", vatNumber: "12345670157"))
      #expect(try await stage.company("clinic@example.com") == [clinic])
      #expect(try await stage.company(Known.marioEmail) == [])
      #expect(try await stage.company("nobody@example.org") == [])
      try stage.run("UPDATE data4help.accounts SET state = 1 WHERE account_id = 22")
      #expect(try await stage.company("studio@example.com") == [])
      let wrong = "{\"email\":\"x\"}"
      #expect(try await stage.callInternally(InternalPath.companies, wrong).status == 400)
    }
  }
}

extension SingleRequestStage {
  fileprivate func company(_ email: String) async throws -> [KnownPerson] {
    let question = CompanyQuestion(try EmailAddress(email))
    let reply = try await callInternally(InternalPath.companies, json(question))
    return try JSONReader.read(KnownPeople.self, from: Array(reply.text.utf8)).people
  }

  fileprivate func whoAre(_ accounts: [AccountID]) async throws -> [KnownPerson] {
    let reply = try await callInternally(InternalPath.people, json(PeopleQuestion(accounts)))
    return try JSONReader.read(KnownPeople.self, from: Array(reply.text.utf8)).people
  }

  fileprivate func named(
    _ name: String, among accounts: [AccountID]
  ) async throws -> Set<AccountID> {
    let question = NameQuestion(try FullName(name), of: accounts)
    let reply = try await callInternally(InternalPath.names, json(question))
    return Set(try JSONReader.read(PeopleOfName.self, from: Array(reply.text.utf8)).accounts)
  }

  fileprivate func found(_ question: String) async throws -> AccountID? {
    let reply = try await callInternally(InternalPath.find, question)
    #expect(reply.status == 200)
    return try JSONReader.read(FoundPerson.self, from: Array(reply.text.utf8)).account
  }
}
