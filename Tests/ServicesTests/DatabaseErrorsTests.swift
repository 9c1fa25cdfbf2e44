import HTTP
import Postgres
import Services
import Testing

@Suite("What a client is told of the database")
struct DatabaseProblemsTests {
  private func status(_ sqlState: String, of constraint: String) -> HTTPStatus {
    let error = ServerError(sqlState: sqlState, constraint: constraint)
    return ApplicationError.database(.server(error)).status
  }

  @Test("a mail for an account that is gone may be asked for again")
  func goneAccount() {
    #expect(status("23503", of: "mails_account_id_fkey") == .unavailable)
  }

  @Test("any other foreign key that is violated is our fault, and logged as such")
  func otherForeignKeys() {
    for constraint in ["consents_account_id_fkey", "mails_request_id_fkey", ""] {
      let error = PostgresError.server(ServerError(sqlState: "23503", constraint: constraint))
      #expect(ApplicationError.database(error) == .internalError(error))
      #expect(status("23503", of: constraint) == .internalError)
    }
    #expect(status("23505", of: "mails_account_id_fkey") == .internalError)
  }
}
