import Postgres
import ServiceKit
import Testing

@Suite("Database errors for clients")
struct DatabaseErrorsTests {
  private func reason(_ sqlState: String, of constraint: String) -> ApplicationError.Reason {
    let error = ServerError(sqlState: sqlState, constraint: constraint)
    return ApplicationError.database(.server(error)).reason
  }

  @Test("a mail for a deleted account fails as unavailable, and may be retried")
  func deletedAccount() {
    #expect(reason("23503", of: "mails_account_id_fkey") == .unavailable)
  }

  @Test("violating any other foreign key is logged as an internal error")
  func otherForeignKeys() {
    for constraint in ["consents_account_id_fkey", "mails_request_id_fkey", ""] {
      let error = PostgresError.server(ServerError(sqlState: "23503", constraint: constraint))
      #expect(ApplicationError.database(error) == .internalError(error))
      #expect(reason("23503", of: constraint) == .internalError)
    }
    #expect(reason("23505", of: "mails_account_id_fkey") == .internalError)
  }
}
