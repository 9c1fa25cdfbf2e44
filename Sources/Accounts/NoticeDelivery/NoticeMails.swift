import Cryptography
import Domain
import EventLoop
import Mail
import Operations
import Postgres
import ServiceKit
import Time

/// Mails the notices that no stream has delivered, according to each account's choice (NTF-1).
///
/// The mail describes each notice in the reader's language and time zone: the company or the run,
/// the question or the answer, and the deadline (NTF-3). It contains no health values. A question
/// that was answered meanwhile, has expired or is over is not mailed, and of the alarms of an
/// emergency only the newest is.
package struct NoticeMails: Sendable {
  /// The maximum number of notices in one transaction.
  static let batchMax: Int64 = 500

  private let dependencies: AccountsDependencies
  private let settings: AuthenticationSettings
  private let requests: any NoticeRequestSource

  /// Mails with the sender and the links of these settings.
  package init(
    _ dependencies: AccountsDependencies, _ settings: AuthenticationSettings,
    requests: any NoticeRequestSource
  ) {
    self.dependencies = dependencies
    self.settings = settings
    self.requests = requests
  }

  /// Queues a mail for each account with due notices; returns the number of mails. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func send() async throws(ApplicationError) -> Int {
    let count = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in
      let rows = try await due(in: transaction)
      let keys = try await dependencies.accountKeys.keys(of: Set(rows.map(\.account)).sorted())
      let opened = rows.map { row in
        OpenedNotice(row: row, content: keys[row.account].flatMap { open(row, with: $0) })
      }
      let notified = Self.newestAlarms(try await withRequests(opened)).filter(\.isNews)
      let notices = Dictionary(grouping: notified, by: \.row.account)
      let locales = try await dependencies.locales.locales(
        of: notices.keys.sorted(), in: transaction)
      var mails: [(MailMessage, of: MailOwner)] = []
      for (account, key) in keys.keys {
        guard let due = notices[account], let locale = locales[account] else { continue }
        do throws(ApplicationError) {
          let mail = try mail(about: due, to: locale, of: account, with: key)
          if let mail { mails.append((mail, of: MailOwner(account))) }
        } catch {
          // A retry would fail as well, and delay the notices of other accounts.
          dependencies.log.failure(
            "open email for notices failed", error, .number("account_id", account.rawValue))
        }
      }
      try await dependencies.mailQueue.enqueue(mails, in: transaction)
      return mails.count
    }
    if count > 0 { dependencies.mailQueue.announce() }
    return count
  }

  /// The maximum number of notices that one mail describes; it counts the others.
  private static let linesMax = 50

  private func mail(
    about notices: [OpenedNotice], to locale: ReaderLocale, of account: AccountID,
    with key: SealingKey
  ) throws(ApplicationError) -> MailMessage? {
    guard let sealedEmail = notices.first?.row.sealedEmail,
      let address = MailAddress(try key.email(sealedEmail, of: account))
    else { return nil }
    let sorted = notices.sorted { $0.row.number < $1.row.number }
    let now = dependencies.environment.now().flooredToMilliseconds
    var lines = sorted.prefix(Self.linesMax).map { "- \($0.text(for: locale, at: now))" }
    let isItalian = locale.language == .italian
    if sorted.count > Self.linesMax {
      let more = sorted.count - Self.linesMax
      lines.append(isItalian ? "- e altre \(more)" : "- and \(more) more")
    }
    return MailMessage(
      from: settings.sender, to: address,
      subject: isItalian ? "TrackMe: novità" : "TrackMe: news",
      text: """
        \(isItalian ? "Novità nel tuo account TrackMe:" : "News in your TrackMe account:")
        \(lines.joined(separator: "\n"))
        \(isItalian ? "Per rispondere, accedi a" : "To answer, log in at") \(settings.publicURL)
        """, environment: dependencies.environment)
  }

  private func open(_ row: NoticesToMail.Row, with key: SealingKey) -> DecodedNotice? {
    DecodedNotice.open(
      row.sealedPayload, row.kind, row.number, of: row.account, with: key, log: dependencies.log)
  }

  /// The notices whose time for streams is over. An alarm brings all alarms of its account, so that
  /// one mail describes an emergency in its present state.
  private func due(
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [NoticesToMail.Row] {
    let rows = try await transaction.run(
      NoticesToMail(now: dependencies.environment.now(), countMax: Self.batchMax))
    let alarmed = Set(rows.filter { $0.kind == .alarm }.map(\.account)).sorted()
    guard !alarmed.isEmpty else { return rows }
    return rows + (try await transaction.run(AlarmsToMail(accounts: alarmed)))
  }

  /// The same notices, with their requests in their present state.
  private func withRequests(
    _ notices: [OpenedNotice]
  ) async throws(ApplicationError) -> [OpenedNotice] {
    let found = try await requests.find(notices.compactMap(\.content))
    return notices.map { notice in
      var notice = notice
      notice.request = notice.content?.request(in: found)
      return notice
    }
  }

  /// The same notices, but of the alarms of an emergency only the newest.
  private static func newestAlarms(_ notices: [OpenedNotice]) -> [OpenedNotice] {
    var newest: [String: Int64] = [:]
    for notice in notices {
      guard let emergency = notice.content?.emergencyID else { continue }
      newest[emergency] = max(newest[emergency] ?? 0, notice.row.number)
    }
    return notices.filter { notice in
      guard let emergency = notice.content?.emergencyID else { return true }
      return newest[emergency] == notice.row.number
    }
  }
}

/// A notice in a mail.
private struct OpenedNotice {
  let row: NoticesToMail.Row
  /// Nil for a notice that can't be opened: the mail has the text of its kind.
  let content: DecodedNotice?
  var request: NoticeRequest?

  /// Whether it is still relevant: false for a question that was answered, has expired or is over.
  var isNews: Bool {
    guard let content, content.isQuestion else { return true }
    return request?.isPending ?? false
  }

  func text(for locale: ReaderLocale, at now: Instant) -> String {
    content?.text(for: locale, about: request, at: now, in: .mail)
      ?? row.kind.text(in: locale.language)
  }
}

/// Ends the time that streams have for notices, and returns those that no stream has delivered. By
/// the index of their times. Their accounts are locked against deletion, since mails are queued for
/// them; notices of an account that is being deleted are skipped.
struct NoticesToMail: Statement {
  struct Row: Sendable {
    let account: AccountID
    let number: Int64
    let kind: NoticeKind
    let sealedPayload: [UInt8]
    let sealedEmail: [UInt8]
  }
  static let sql: SQL<Self> = """
    WITH due AS (
      SELECT notice.account_id, notice.number
        FROM data4help.notices AS notice
        JOIN data4help.accounts AS account USING (account_id)
       WHERE notice.mail_at <= \(\.now)
       ORDER BY notice.mail_at
       LIMIT \(\.countMax)
         FOR UPDATE OF notice SKIP LOCKED
         FOR KEY SHARE OF account SKIP LOCKED),
    taken AS (
      UPDATE data4help.notices AS notice
         SET mail_at = NULL
        FROM due
       WHERE notice.account_id = due.account_id
         AND notice.number = due.number
      RETURNING notice.account_id, notice.number, notice.kind, notice.sealed_payload)
    SELECT taken.account_id, taken.number, taken.kind, taken.sealed_payload,
           account.sealed_email
      FROM taken
      JOIN data4help.notice_heads AS head ON head.account_id = taken.account_id
      JOIN data4help.accounts AS account ON account.account_id = taken.account_id
     WHERE taken.number > head.pushed
       AND account.state <> 1
    """
  static let columns = Columns(Row.init)
  let now: Instant
  let countMax: Int64
}

/// Ends the time that streams have for all alarms of these accounts, and returns those not mailed
/// yet. Their accounts are locked by `NoticesToMail`; alarms that another process mails are
/// skipped. By the index of their accounts.
struct AlarmsToMail: Statement {
  typealias Row = NoticesToMail.Row
  static let sql: SQL<Self> = """
    WITH waiting AS (
      SELECT account_id, number
        FROM data4help.notices
       WHERE account_id = ANY (\(\.accounts))
         AND kind = \(\.kind)
         AND mail_at IS NOT NULL
         FOR UPDATE SKIP LOCKED),
    taken AS (
      UPDATE data4help.notices AS notice
         SET mail_at = NULL
        FROM waiting
       WHERE notice.account_id = waiting.account_id
         AND notice.number = waiting.number
      RETURNING notice.account_id, notice.number, notice.kind, notice.sealed_payload)
    SELECT taken.account_id, taken.number, taken.kind, taken.sealed_payload,
           account.sealed_email
      FROM taken
      JOIN data4help.accounts AS account ON account.account_id = taken.account_id
    """
  static let columns = NoticesToMail.columns
  let accounts: [AccountID]
  let kind = NoticeKind.alarm
}
