import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import Postgres
import PostgresFixture
import Requirements
import Testing

@Suite("The directory of accounts")
struct AccountDirectoryTests {
  @Test("only active single users are found", .tags(.R22, .ACC_9))
  func finding() async throws {
    try await AuthenticationStage.with { stage in
      let directory = stage.parts.dependencies.directory
      let email = try EmailAddress("Mario.Rossi@example.org")
      let code = try FiscalCode("rssmra80a01h501u")
      _ = try await stage.registerPerson()
      #expect(try await directory.activeSingleUser(email) == nil)
      _ = try await stage.activate(try await stage.mailbox.nextToken())
      let account = try #require(try await directory.activeSingleUser(email))
      #expect(try await directory.activeSingleUser(code) == account)
      try stage.data.session().run("UPDATE data4help.accounts SET state = 3")
      #expect(try await directory.activeSingleUser(email) == nil)
      #expect(try await directory.activeSingleUser(code) == nil)
      _ = try await stage.registerCompany()
      _ = try await stage.activate(try await stage.mailbox.nextToken())
      #expect(try await directory.activeSingleUser(try EmailAddress("info@acme.example")) == nil)
    }
  }

  @Test("third parties are opened together; others are left out")
  func thirdParties() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await stage.registerCompany()
      _ = try await stage.activate(try await stage.mailbox.nextToken())
      let rows = try stage.data.session().rows("SELECT account_id FROM data4help.accounts")
      let accounts = rows.compactMap { $0[0].flatMap { Int64($0) } }.map(AccountID.init(rawValue:))
      let found = try await stage.parts.dependencies.directory
        .thirdParties(Set(accounts + [AccountID(rawValue: 1)]))
      #expect(found.count == 1)
      let acme = try #require(found.values.first)
      #expect(acme.email == "info@acme.example")
      #expect(acme.vatNumber == "12345670157")
      #expect(acme.companyName == "Acme S.p.A.")
      #expect(acme.companyDescription == "Studies of hearts.")
    }
  }
}
