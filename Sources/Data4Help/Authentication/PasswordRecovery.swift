import Delivery
import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import PublicAPI
import Services

/// The body of a request for a reset link.
private struct ForgotPasswordPayload: JSONReadable {
  let email: EmailAddress

  init(from reader: inout JSONReader) throws(JSONError) {
    email = try reader.object(with: "email") { (reader) throws(JSONError) in
      try reader.parsed { (text) throws(EmailAddressError) in try EmailAddress(text) }
    }
  }
}

/// The body of a new password, with the token of the link.
private struct ResetPasswordPayload: JSONReadable {
  let token: String
  let password: Password

  init(from reader: inout JSONReader) throws(JSONError) {
    var token: String?
    var password: Password?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "token": token = try reader.string()
      case "newPassword":
        password = try reader.parsed { (text) throws(PasswordError) in try Password(text) }
      default: break
      }
    }
    self.token = try reader.mandatory("token", token)
    self.password = try reader.mandatory("newPassword", password)
  }
}

extension AuthenticationRoutes {
  /// How long a link that resets a password is good, and the shortest time between two (ACC-6).
  static let resetMax = Duration.seconds(3600)
  static let resetPause = Duration.seconds(60)

  /// A link is mailed that resets the password, if an account has this email (ACC-6); the answer
  /// never tells, and both cases take the same statements and one commit that writes.
  ///
  /// - Throws: 400 for a malformed email, 503.
  func forgotPassword(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: ForgotPasswordPayload = try request.payload()
    let now = surroundings.world.now()
    let until = now + Self.resetMax
    let token = tokens.issue(.passwordReset)
    let blind = indexes.value(of: payload.email)
    let issue = IssuePasswordReset(
      token: token.hash, blind: blind, now: now, until: until, sentBefore: now - Self.resetPause)
    let response = try await surroundings.effects.run(request) {
      (transaction) throws(ApplicationError) in
      let issued = try await transaction.runOne(issue)
      let mail = AccountMails(surroundings, settings).passwordReset(
        to: payload.email, issued?.locale ?? StoredLocale(), token: token, until: until)
      if let mail {
        // Without an account as well: the time of the answer must not reveal whether there is one.
        try await surroundings.mails.enqueue(
          mail, of: MailTies(account: issued?.account.rawValue), if: issued != nil, in: transaction)
      }
      return .message("Action successful")
    }
    surroundings.mails.announce()
    return response
  }

  /// The link of the mail is opened (ACC-6): a page to type the new password on, where HTML is
  /// preferred. Opening it does not use up the link, however often it is done.
  ///
  /// - Throws: 401 `Wrong token`, 503.
  func openPasswordReset(_ request: Request) async throws(ApplicationError) -> Response {
    let isGood = try await isPasswordReset(request.query["token"] ?? "")
    if MediaPreference.prefersHTML(request) { return PasswordResetPage.response(isGood: isGood) }
    guard isGood else { throw .unauthenticated() }
    return .message("Link valid").notStored()
  }

  private func isPasswordReset(_ text: String) async throws(ApplicationError) -> Bool {
    guard let token = try? tokens.verify(text.utf8.span), token.kind == .passwordReset
    else { return false }
    let standing = StandingPasswordReset(token: token.hash, now: surroundings.world.now())
    return try await surroundings.database.row(standing) != nil
  }

  /// A new password in place of a lost one; every session ends (ACC-6), and so do API keys and
  /// devices: somebody may have lost the password to a thief.
  ///
  /// - Throws: 400, also for a password that breaks the policy; 401 `Wrong token` for one that is
  ///   unknown, used or too old; 429 when too many passwords wait; 503.
  func resetPassword(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: ResetPasswordPayload = try request.payload()
    guard let token = try? tokens.verify(payload.token.utf8.span), token.kind == .passwordReset
    else { throw .unauthenticated() }
    let hash = try await passwords.hash(payload.password.text)
    let now = surroundings.world.now()
    let response = try await surroundings.effects.run(request) {
      (transaction) throws(ApplicationError) in
      guard let used = try await transaction.runOne(UsePasswordReset(token: token.hash)),
        used.validUntil > now
      else { throw .unauthenticated() }
      // Logins take the failures first and the account then; so does this.
      try await transaction.run(
        ForgetLoginFailures(blind: used.emailBlind),
        ReplacePasswordHash(account: used.account, hash: hash))
      try await KeyAndDeviceRemoval(account: used.account).run(in: transaction)
      try await tellOfNewPassword(used.account, in: transaction)
      try await transaction.run(
        EndTokens(account: used.account, withKeysAndDevices: true, at: now))
      return .message("Action successful")
    }
    surroundings.mails.announce()
    return response
  }

  private func tellOfNewPassword(
    _ account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let row = try await transaction.runOne(MailRecipient(account: account)) else { return }
    let key = try await surroundings.accountKeys.key(of: account)
    let email = try Self.email(row.sealedEmail, of: account, under: key)
    let mail = AccountMails(surroundings, settings).passwordChanged(
      to: email, row.locale, endsKeysAndDevices: true)
    guard let mail else { return }
    try await surroundings.mails.enqueue(mail, of: MailTies(account), in: transaction)
  }
}
