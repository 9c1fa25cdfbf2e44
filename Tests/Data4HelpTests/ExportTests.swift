import Data4Help
import Domain
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("The archive of an account")
struct ExportTests {
  @Test("every statement agrees with the schema")
  func schema() async throws {
    try await TestDatabase.with(.data) { database in
      let problems = try StatementCheck.problems(
        of: ExportStatements.all, at: database.url(as: "data4help"))
      #expect(problems.isEmpty, "\(problems)")
    }
  }

  @Test(
    "everything an account can read about itself is in the archive, or excluded with a reason",
    .tags(.ACC_11), arguments: [AccountKind.singleUser, .thirdParty])
  func contents(kind: AccountKind) {
    let archived = Set(ArchiveContents.answers(for: kind).map(\.endpoint.operationID))
    for endpoint in PublicAPI.endpoints
    where endpoint.method == .get && endpoint.service != .gateway && endpoint.caller != .anyone
      && endpoint.admits(kind, .login)
    {
      let name = endpoint.operationID
      #expect(
        archived.contains(name) != (ArchiveContents.leftOut[name] != nil),
        "\(name): add it to ArchiveContents.answers, or to leftOut with the reason")
    }
  }
}
