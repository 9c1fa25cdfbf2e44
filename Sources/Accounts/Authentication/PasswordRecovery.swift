import Cryptography
import Domain
import EventLoop
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

extension AuthenticationRoutes {
  /// How long a reset link is valid, and the shortest time between two (ACC-6).
  static let resetMax = Duration.seconds(3600)
  static let resetPause = Duration.seconds(60)

  /// Mails a reset link if an account has this email (ACC-6); the answer never reveals whether one
  /// does, and both cases run the same statements and one commit that writes.
  ///
  /// - Throws: `invalid` for a malformed email, `unavailable`.
  func forgotPassword(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: AccountEmailBody = try request.payload()
    let now = dependencies.environment.now()
    let until = now + Self.resetMax
    let token = tokens.issue(.passwordReset)
    let blind = indexes.value(of: payload.email)
    let issue = IssuePasswordReset(
      token: token.hash, blind: blind, now: now, until: until, sentBefore: now - Self.resetPause)
    let response = try await dependencies.effects.run(request) {
      (transaction) throws(ApplicationError) in
      let issued = try await transaction.runOne(issue)
      let mail = AccountMails(
        environment: dependencies.environment, locales: dependencies.locales, settings
      )
      .passwordReset(
        to: payload.email, issued?.locale ?? StoredLocale(), token: token, until: until)
      if let mail {
        // Without an account as well: the time of the answer must not reveal whether one exists.
        try await dependencies.mailQueue.enqueue(
          mail, of: MailOwner(account: issued?.account.rawValue), if: issued != nil, in: transaction
        )
      }
      return .message("Action successful")
    }
    dependencies.mailQueue.announce()
    return response
  }

  /// Opens the link of the mail (ACC-6): returns a page to enter the new password if HTML is
  /// preferred. The link can be opened repeatedly; opening does not use it up.
  ///
  /// - Throws: `unauthenticated` with `Wrong token`, `unavailable`.
  func openPasswordReset(_ request: Request) async throws(ApplicationError) -> Response {
    let isGood = try await isPasswordReset(request.query["token"] ?? "")
    if MediaPreference.prefersHTML(request) { return PasswordResetPage.response(isGood: isGood) }
    guard isGood else { throw .unauthenticated() }
    return .message("Link valid").notStored()
  }

  private func isPasswordReset(_ text: String) async throws(ApplicationError) -> Bool {
    guard let token = try? tokens.verify(text.utf8.span), token.kind == .passwordReset
    else { return false }
    let standing = StandingPasswordReset(token: token.hash, now: dependencies.environment.now())
    return try await dependencies.database.row(standing) != nil
  }

  /// Sets a new password in place of a lost one. All sessions end (ACC-6), and so do API keys and
  /// devices: the password may have been stolen.
  ///
  /// - Throws: `invalid`, also for a password that violates the policy; `unauthenticated` with
  ///   `Wrong token` for one that is unknown, used or expired; `rateLimited` when too many
  ///   passwords are queued; `unavailable`.
  func resetPassword(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: ResetPasswordBody = try request.payload()
    guard let token = try? tokens.verify(payload.token.utf8.span), token.kind == .passwordReset
    else { throw .unauthenticated() }
    let hash = try await passwords.hash(payload.password.text)
    let now = dependencies.environment.now()
    let response = try await dependencies.effects.run(request) {
      (transaction) throws(ApplicationError) in
      guard let used = try await transaction.runOne(UsePasswordReset(token: token.hash)),
        used.validUntil > now
      else { throw .unauthenticated() }
      // Logins lock the failures first and then the account; this uses the same order.
      try await transaction.run(
        ForgetLoginFailures(blind: used.emailBlind),
        ReplacePasswordHash(account: used.account, hash: hash))
      try await KeyAndDeviceRemoval(account: used.account).run(in: transaction)
      try await notifyOfNewPassword(used.account, in: transaction)
      try await transaction.run(
        DeletePushSubscriptions(account: used.account),
        EndTokens(account: used.account, withKeysAndDevices: true, at: now))
      return .message("Action successful")
    }
    dependencies.mailQueue.announce()
    return response
  }

  private func notifyOfNewPassword(
    _ account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let row = try await transaction.runOne(MailRecipient(account: account)) else { return }
    let key = try await dependencies.accountKeys.key(of: account)
    let email = try Self.email(row.sealedEmail, of: account, under: key)
    let mail = AccountMails(
      environment: dependencies.environment, locales: dependencies.locales, settings
    )
    .passwordChanged(
      to: email, row.locale, endsKeysAndDevices: true)
    guard let mail else { return }
    try await dependencies.mailQueue.enqueue(mail, of: MailOwner(account), in: transaction)
  }
}
