import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// A session that is being opened.
struct OpenedSession {
  let token: IssuedToken
  let kind: AccountKind
  let startedAt: Instant
  let expiresAt: Instant

  /// The statement that stores it. It takes the clock's lock: last in a transaction.
  func start(of account: AccountID) -> StartSession {
    StartSession(
      token: token.hash, account: account, kind: StoredKind(kind), at: startedAt,
      expiresAt: expiresAt)
  }
}

extension AuthenticationRoutes {
  /// Exchanges email and password for a token (ACC-7), or for a cookie that holds it.
  ///
  /// An unknown email, an account that is not activated and a wrong password have the same answer,
  /// take the same time, and are slowed down alike.
  ///
  /// - Throws: `invalid`; `unauthenticated` with `Wrong credentials`; `forbidden` with `Already
  ///   logged in`; `rateLimited` with the seconds to wait after three consecutive wrong passwords,
  ///   or when too many passwords are queued; `unavailable`.
  func login(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: LoginBody = try request.payload()
    if payload.wantsCookie, request.head.fields[.xForwardedProto] != "https" {
      throw .invalid("A login with a cookie needs HTTPS.", field: "cookie")
    }
    let email = payload.email
    let blind = indexes.value(of: email)
    let found = try await dependencies.database.row(LoginStart(blind: blind))
    try checkPace(found?.loginAfter)
    let stored = found?.account
    guard try await passwords.verify(payload.password, against: stored?.passwordHash),
      let stored
    else {
      try await countWrongPassword(for: email, blind, of: stored?.account)
      throw .unauthenticated(
        "Wrong credentials",
        detail: "The email or the password is wrong, or the account is not activated.")
    }
    var rehashed: String?
    if passwords.needsRehash(stored.passwordHash) {
      rehashed = try await passwords.hash(payload.password)
    }
    let session = try await openSession(
      of: stored, blind, rehashed: rehashed, replacing: payload.replace)
    return response("Login successful", session, hasCookie: payload.wantsCookie) {
      $0.field("accountType", session.kind.rawValue)
    }
  }

  /// A session that starts now.
  func newSession(of kind: AccountKind) -> OpenedSession {
    let now = dependencies.environment.now()
    return OpenedSession(
      token: tokens.issue(.session), kind: kind, startedAt: now,
      expiresAt: now + settings.sessionMax)
  }

  /// The response with the token of a session, or with the cookie that holds it.
  func response(
    _ message: String, _ session: OpenedSession, hasCookie: Bool,
    and more: (inout JSONWriter) -> Void = { _ in }
  ) -> Response {
    var response = Response.message(message) {
      if !hasCookie { $0.field("authToken", session.token.text) }
      more(&$0)
      $0.field("expiresAt", session.expiresAt.description)
    }.notStored()
    if hasCookie {
      response.fields.append(
        .setCookie, SessionCookie.holding(session.token.text, for: settings.sessionMax))
    }
    return response
  }

  /// - Throws: `rateLimited` before the time of the next allowed attempt.
  func checkPace(_ loginAfter: Instant?) throws(ApplicationError) {
    let now = dependencies.environment.now()
    guard let loginAfter, loginAfter > now else { return }
    let microseconds = loginAfter.microsecondsSince1970 - now.microsecondsSince1970
    throw .rateLimited(retryAfter: Int((microseconds + 999_999) / 1_000_000))
  }

  /// Counts a wrong password; the third consecutive one is reported to the owner, if there is one.
  ///
  /// - Throws: `rateLimited` if other requests used up the free attempts while this one was
  ///   checked: simultaneous guesses gain nothing over consecutive ones.
  func countWrongPassword(
    for email: EmailAddress, _ blind: BlindValue, of owner: AccountID?
  ) async throws(ApplicationError) {
    let now = dependencies.environment.now()
    let isReported = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in
      let counted = try await transaction.runOne(CountWrongPassword(blind: blind, at: now))
      guard let counted else {
        let failures = try await transaction.runOne(LockLoginFailures(blind: blind))
        try checkPace(failures?.loginAfter)
        throw .rateLimited(retryAfter: 1)
      }
      let count = Int(counted)
      guard let pause = LoginSlowdown.pause(afterWrongPasswords: count) else { return false }
      try await transaction.run(SlowLoginsDown(blind: blind, loginAfter: now + pause))
      guard count == LoginSlowdown.freeAttempts, let owner else { return false }
      let mail = AccountMails(
        environment: dependencies.environment, locales: dependencies.locales, settings
      )
      .wrongPasswords(
        to: email, try await dependencies.locales.storedLocale(of: owner, in: transaction))
      guard let mail else { return false }
      try await dependencies.mailQueue.enqueue(mail, of: MailOwner(owner), in: transaction)
      return true
    }
    if isReported { dependencies.mailQueue.announce() }
  }

  /// Opens the account's single session; it replaces an earlier one, ended or open.
  private func openSession(
    of login: LoginAccount, _ blind: BlindValue, rehashed: String?, replacing: Bool
  ) async throws(ApplicationError) -> OpenedSession {
    let session = newSession(of: login.kind.kind)
    let now = session.startedAt
    let isOpened = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in
      let (failures, accounts, open) = try await transaction.run(
        LockLoginFailures(blind: blind), LockLoginAccount(account: login.account),
        OpenSession(account: login.account))
      try checkPace(failures.first?.loginAfter)
      // The password was changed or rehashed while this one was checked.
      guard accounts.first == login.passwordHash else { throw .unavailable() }
      try await transaction.run(ForgetLoginFailures(blind: blind))
      if let rehashed {
        try await transaction.run(ReplacePasswordHash(account: login.account, hash: rehashed))
      }
      if !replacing, let open = open.first, isLive(open, at: now) { return false }
      // Both take the clock's lock, which every session needs: last, together with the commit.
      try await transaction.commit(
        EndOpenSession(account: login.account, at: now), session.start(of: login.account))
      return true
    }
    guard isOpened else {
      throw ApplicationError(
        .forbidden, "Already logged in",
        detail: "A session is open elsewhere: send `replace` as true to end it, or log out there.")
    }
    return session
  }

  private func isLive(_ session: OpenSession.Row, at now: Instant) -> Bool {
    session.expiresAt > now && session.lastUsedAt + settings.sessionIdle > now
  }
}
