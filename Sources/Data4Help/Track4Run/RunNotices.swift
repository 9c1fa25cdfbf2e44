import Delivery
import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Postgres
import Privacy
import Services

/// Carries out Track4Run's orders for notices and mails about runs: Track4Run knows no account's
/// address.
struct RunNotices: Sendable {
  let surroundings: Surroundings
  let settings: AuthenticationSettings

  /// Tells accounts of a run, once for each `Idempotency-Key`.
  ///
  /// - Throws: 400 without a key, 503 if a database is unavailable.
  func tell(_ request: Request) async throws(Problem) -> Response {
    let order = try request.payload(NoticeOrder.self)
    return try await once(request) { (transaction) throws(Problem) in
      if let mail = order.mail { try await write(mail, to: order.accounts, in: transaction) }
      try await surroundings.notices.add(order.notices, in: transaction)
    }
  }

  /// Mails to addresses, once for each `Idempotency-Key`.
  ///
  /// - Throws: 400 without a key, 503 if the database is unavailable.
  func mail(_ request: Request) async throws(Problem) -> Response {
    let order = try request.payload(MailOrder.self)
    return try await once(request) { (transaction) throws(Problem) in
      var mails: [(MailMessage, of: MailTies)] = []
      for address in order.addresses {
        guard let message = message(order.mail, to: address.text) else { continue }
        mails.append((message, of: MailTies(account: nil)))
      }
      try await surroundings.mails.enqueue(mails, in: transaction)
    }
  }

  private func once(
    _ request: Request, _ effect: (Transaction<Problem>) async throws(Problem) -> Void
  ) async throws(Problem) -> Response {
    guard request.head.fields[.idempotencyKey] != nil else {
      throw .malformed("Give an Idempotency-Key, so that this can be repeated.")
    }
    let response = try await surroundings.effects.run(request) { (transaction) throws(Problem) in
      try await effect(transaction)
      return .message("Action successful")
    }
    surroundings.notices.announce()
    surroundings.mails.announce()
    return response
  }

  /// Queues a mail for each of these accounts that wants notices of runs by mail.
  private func write(
    _ mail: MailText, to accounts: [AccountID], in transaction: Transaction<Problem>
  ) async throws(Problem) {
    let rows = try await transaction.run(
      EmailsForNotices(accounts: accounts, kind: NoticeKind.run.bit))
    let keys = try await surroundings.accountKeys.keys(of: rows.map(\.account))
    var mails: [(MailMessage, of: MailTies)] = []
    for row in rows {
      guard let key = keys[row.account] else { continue }
      do throws(Problem) {
        let email = try key.email(row.sealedEmail, of: row.account)
        if let message = message(mail, to: email) {
          mails.append((message, of: MailTies(row.account)))
        }
      } catch {
        surroundings.log.error(
          "an account's email can't be opened, and it gets no mail of a run",
          [.number("account_id", row.account.rawValue)])
      }
    }
    try await surroundings.mails.enqueue(mails, in: transaction)
  }

  /// Nil for an address that can't be mailed to.
  private func message(_ mail: MailText, to address: String) -> MailMessage? {
    MailAddress(address).map {
      MailMessage(
        from: settings.sender, to: $0, subject: mail.subject, text: mail.text,
        world: surroundings.world)
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
