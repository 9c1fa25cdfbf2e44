import Domain
import HTTP
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Changes the settings of an account atomically: its profile, its password, its consents (ACC-5,
/// ACC-6).
struct ProfileChanging: Sendable {
  /// Stores changed fields of the profile over its locked row.
  typealias Store =
    @Sendable (
      ProfileRow, ConfirmedAccount, Transaction<ApplicationError>
    ) async throws(ApplicationError) -> Void

  let authentication: AuthenticationRoutes

  /// Applies the changes of a request, after its password was verified. The response to a new
  /// password has the token of the session that replaces the caller's. It is not part of the
  /// response that is kept for a repetition, because no token is stored.
  ///
  /// - Throws: `forbidden` for a wrong password, `rateLimited` if too many passwords were tried or
  ///   are waiting, `unavailable` if the password was changed meanwhile, and the errors of `store`.
  func change(
    _ request: Request, of identity: Identity, _ passwords: SettingsPasswords,
    _ consents: [ConsentEntry], store: @escaping Store
  ) async throws(ApplicationError) -> Response {
    let dependencies = authentication.dependencies
    let confirmed = try await authentication.confirm(passwords.password, of: identity)
    let hash = try await authentication.hash(passwords.newPassword)
    let session = authentication.newSession(of: confirmed.kind)
    // Never set by a transaction that failed: `effects.run` runs it once.
    var isReplaced = false
    let response = try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      try await authentication.forgetFailures(of: confirmed, in: transaction)
      let locked = LockProfile(
        account: confirmed.account, passwordHash: confirmed.passwordHash)
      guard let row = try await transaction.runOne(locked) else { throw .unavailable() }
      try await store(row, confirmed, transaction)
      try await authentication.consents.record(
        consents, of: confirmed.account, confirmed.kind, in: transaction)
      if let hash {
        try await authentication.replacePassword(
          of: confirmed, hash: hash, by: session,
          endsKeysAndDevices: passwords.endsKeysAndDevices, in: transaction)
        isReplaced = true
      }
      return .message("Settings updated")
    }
    dependencies.mailQueue.announce()
    guard isReplaced else { return response }
    return authentication.response(
      "Settings updated", session, hasCookie: request.head.fields.contains(.internalCookie))
  }
}
