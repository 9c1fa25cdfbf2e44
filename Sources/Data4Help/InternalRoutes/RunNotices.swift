import Accounts
import Bytes
import Domain
import HTTP
import InternalAPI
import JSON
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing
import Web

/// Executes Track4Run's orders for notices and mails about runs: Track4Run stores no account's
/// address.
struct RunNotices: Sendable {
  let dependencies: SharingDependencies
  let settings: AuthenticationSettings

  /// Notifies accounts of a run, once for each `Idempotency-Key`.
  ///
  /// - Throws: `invalid` without a key, `unavailable` if a database is unavailable.
  func notify(_ request: Request) async throws(ApplicationError) -> Response {
    let order = try request.payload(NoticeOrder.self)
    if let mail = order.mail { check(mail, of: request) }
    return try await once(request) { (transaction) throws(ApplicationError) in
      if let mail = order.mail { try await write(mail, to: order.accounts, in: transaction) }
      try await dependencies.notices.add(order.notices, in: transaction)
    }
  }

  /// Mails to addresses, once for each `Idempotency-Key`.
  ///
  /// - Throws: `invalid` without a key, `unavailable` if the database is unavailable.
  func mail(_ request: Request) async throws(ApplicationError) -> Response {
    let order = try request.payload(MailOrder.self)
    check(order.mail, of: request)
    return try await once(request) { (transaction) throws(ApplicationError) in
      var mails: [(MailMessage, of: MailOwner)] = []
      let mail = dependencies.locales.text(of: order.mail, for: StoredLocale())
      for address in order.addresses {
        guard let message = message(mail, to: address.text) else { continue }
        mails.append((message, of: MailOwner(account: nil)))
      }
      try await dependencies.mailQueue.enqueue(mails, in: transaction)
    }
  }

  /// Logs a mail with a time that can't be read. It is sent nevertheless, with the time as it is.
  private func check(_ mail: ReaderMail, of request: Request) {
    guard let error = mail.timeError else { return }
    let cause = ApplicationError(.internalError, cause: error.description)
    guard let order = request.head.fields[.idempotencyKey].flatMap({ UniversalID($0) }) else {
      return dependencies.log.failure("format time of mail failed", cause)
    }
    dependencies.log.failure("format time of mail failed", cause, .safe("order", order))
  }

  private func once(
    _ request: Request,
    _ effect: (Transaction<ApplicationError>) async throws(ApplicationError) -> Void
  ) async throws(ApplicationError) -> Response {
    guard request.head.fields[.idempotencyKey] != nil else {
      throw .invalid("Send an Idempotency-Key, so that this can be repeated.")
    }
    let response = try await dependencies.effects.run(request) {
      (transaction) throws(ApplicationError) in
      try await effect(transaction)
      return .message("Action successful")
    }
    dependencies.notices.announce()
    dependencies.mailQueue.announce()
    return response
  }

  /// Queues a mail for each of these accounts that wants notices of runs by mail.
  private func write(
    _ mail: ReaderMail, to accounts: [AccountID], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let rows = try await transaction.run(
      EmailsForNotices(accounts: accounts, kind: NoticeKind.run.bit))
    let keys = try await dependencies.accountKeys.keys(of: rows.map(\.account))
    let locales = try await dependencies.locales.locales(of: rows.map(\.account), in: transaction)
    var mails: [(MailMessage, of: MailOwner)] = []
    for row in rows {
      guard let key = keys[row.account] else { continue }
      do throws(ApplicationError) {
        let email = try key.email(row.sealedEmail, of: row.account)
        let locale = locales[row.account] ?? dependencies.locales.locale(StoredLocale())
        if let message = message(mail.text(for: locale), to: email) {
          mails.append((message, of: MailOwner(row.account)))
        }
      } catch {
        dependencies.log.failure(
          "open email for mail of run failed", error, .number("account_id", row.account.rawValue))
      }
    }
    try await dependencies.mailQueue.enqueue(mails, in: transaction)
  }

  /// Nil for an invalid address.
  private func message(_ mail: MailText, to address: String) -> MailMessage? {
    MailAddress(address).map {
      MailMessage(
        from: settings.sender, to: $0, subject: mail.subject, text: mail.text,
        environment: dependencies.environment)
    }
  }
}

extension NoticeOrder {
  /// The notices; a mail of the order replaces the one of the notice.
  fileprivate var notices: [Notice] {
    accounts.map { account in
      Notice(.run, to: account, isMailedApart: mail != nil) { writer in
        for (name, text) in facts.sorted(by: { $0.key < $1.key }) { writer.field(name, text) }
      }
    }
  }
}

/// The emails of accounts that get notices of a kind by mail. By the primary keys.
struct EmailsForNotices: Statement {
  struct Row: Sendable {
    let account: AccountID
    let sealedEmail: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT account.account_id, account.sealed_email
      FROM data4help.accounts AS account
      LEFT JOIN data4help.notice_heads AS head USING (account_id)
     WHERE account.account_id = ANY (\(\.accounts))
       AND account.state <> 1
       AND coalesce(head.mailed_kinds, 127::int2) & \(\.kind) <> 0
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
  let kind: Int16
}
