import Cryptography
import Domain
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit

/// An account whose owner has just entered its password.
package struct ConfirmedAccount {
  /// Its number.
  package let account: AccountID
  let kind: AccountKind
  let email: EmailAddress
  let passwordHash: String
  let key: SealingKey
}

extension AuthenticationRoutes {
  /// The account, if the password is correct. A wrong password counts as at login (ACC-7): the
  /// third consecutive one is reported, and further attempts are slowed down.
  ///
  /// - Throws: `forbidden` with `Wrong authentication`, `rateLimited`, `unavailable`.
  package func confirm(
    _ password: String, of identity: Identity
  ) async throws(ApplicationError) -> ConfirmedAccount {
    let refusal = ApplicationError(
      .forbidden, "Wrong authentication", detail: "The password is wrong.")
    guard
      let row = try await dependencies.database.row(MailRecipient(account: identity.account))
    else { throw refusal }
    let key = try await dependencies.accountKeys.key(of: identity.account)
    let email = try Self.email(row.sealedEmail, of: identity.account, under: key)
    let blind = indexes.value(of: email)
    let found = try await dependencies.database.row(LoginStart(blind: blind))
    try checkPace(found?.loginAfter)
    let stored = found?.account
    guard try await passwords.verify(password, against: stored?.passwordHash), let stored else {
      try await countWrongPassword(for: email, blind, of: identity.account)
      throw refusal
    }
    return ConfirmedAccount(
      account: identity.account, kind: identity.kind, email: email,
      passwordHash: stored.passwordHash, key: key)
  }

  static func email(
    _ sealed: [UInt8], of account: AccountID, under key: SealingKey
  ) throws(ApplicationError) -> EmailAddress {
    try Registrant.email(key.email(sealed, of: account))
  }

  /// The hash of a new password, if there is one.
  ///
  /// - Throws: `rateLimited` when too many passwords are queued, `unavailable` without memory.
  func hash(_ password: Password?) async throws(ApplicationError) -> String? {
    guard let password else { return nil }
    return try await passwords.hash(password.text)
  }

  /// Clears the consecutive wrong passwords after a correct one. First in a transaction: logins use
  /// the same lock order.
  func forgetFailures(
    of confirmed: ConfirmedAccount, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await transaction.run(ForgetLoginFailures(blind: indexes.value(of: confirmed.email)))
  }

  /// Replaces the confirmed password: every session and push subscription ends, mailed reset links
  /// become invalid, and the owner is notified (ACC-6). API keys and devices end if the owner chose
  /// so.
  ///
  /// `session` takes the place of the caller's, which ends too: another person may have copied its
  /// token, and subscribed a browser with it.
  func replacePassword(
    of confirmed: ConfirmedAccount, hash: String, by session: OpenedSession,
    endsKeysAndDevices: Bool, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let account = confirmed.account
    try await transaction.run(
      ReplacePasswordHash(account: account, hash: hash), ForgetPasswordReset(account: account))
    if endsKeysAndDevices {
      try await KeyAndDeviceRemoval(account: account).run(in: transaction)
    }
    let mail = AccountMails(
      environment: dependencies.environment, locales: dependencies.locales, settings
    )
    .passwordChanged(
      to: confirmed.email,
      try await dependencies.locales.storedLocale(of: account, in: transaction),
      endsKeysAndDevices: endsKeysAndDevices)
    if let mail {
      try await dependencies.mailQueue.enqueue(mail, of: MailOwner(account), in: transaction)
    }
    try await transaction.run(
      DeletePushSubscriptions(account: account),
      EndTokens(account: account, withKeysAndDevices: endsKeysAndDevices, at: session.startedAt),
      session.start(of: account))
  }
}
