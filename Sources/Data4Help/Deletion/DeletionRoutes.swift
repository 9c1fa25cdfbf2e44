import Accounts
import Domain
import JSON
import PublicAPI
import ServiceKit
import Web

/// Deletes an account at its owner's request (ACC-8).
package struct DeletionRoutes: Sendable {
  private let authentication: AuthenticationRoutes
  private let deletion: AccountDeletion

  /// Routes of one loop; passwords are confirmed as at login.
  package init(_ authentication: AuthenticationRoutes, _ deletion: AccountDeletion) {
    self.authentication = authentication
    self.deletion = deletion
  }

  /// The rows of the route table.
  package var all: [Route] {
    [EndpointRoutes().identified(.deleteAccount, delete)]
  }

  /// Without a stored answer: the token has ended, so a repetition is refused anyway.
  private func delete(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: DeleteAccountBody = try request.payload()
    let confirmed = try await authentication.confirm(payload.password, of: identity)
    let called = CalledEmergency(account: confirmed.account)
    guard try await authentication.dependencies.database.row(called) == nil else {
      throw .conflict(
        "Help was called for you. Report a false alarm with POST /sos/falseAlarm first, so that "
          + "the called helpers are informed.")
    }
    try await deletion.delete(confirmed.account)
    return .message("Account deleted")
  }
}
