import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Sends notices by mail that no stream has taken, as each account chooses (NTF-1).
///
/// The mail says in the reader's language and time zone what each notice is about: the company or
/// the run, what was asked or answered, until when (NTF-3); health values stand in none.
package struct NoticeMails: Sendable {
  /// Notices of one transaction at most.
  static let batchMax: Int64 = 500

  private let surroundings: Surroundings
  private let settings: AuthenticationSettings
  private let companies: NoticeCompanies

  /// Mails with the sender and the links of these settings.
  package init(_ surroundings: Surroundings, _ settings: AuthenticationSettings) {
    self.surroundings = surroundings
    self.settings = settings
    companies = NoticeCompanies(surroundings)
  }

  /// Queues a mail for each account with notices that are due; gives how many mails. On the loop.
  ///
  /// - Throws: 503 if a database is away.
  package func send() async throws(Problem) -> Int {
    let count = try await surroundings.database.transaction { (transaction) throws(Problem) in
      let rows = try await transaction.run(
        NoticesToMail(now: surroundings.world.now(), countMax: Self.batchMax))
      let keys = try await surroundings.accountKeys.keys(of: Set(rows.map(\.account)).sorted())
      let opened = rows.map { open($0, with: keys) }
      let notices = Dictionary(
        grouping: try await naming(opened, in: transaction), by: \.row.account)
      let locales = try await surroundings.locales(of: notices.keys.sorted(), in: transaction)
      var mails: [(MailMessage, of: MailTies)] = []
      for (account, key) in keys.keys {
        guard let told = notices[account], let locale = locales[account] else { continue }
        do throws(Problem) {
          let mail = try mail(about: told, to: locale, of: account, with: key)
          if let mail { mails.append((mail, of: MailTies(account))) }
        } catch {
          // What can't be opened once never can: it must not hold up the notices of others.
          surroundings.log.error(
            "an account's email can't be opened, and its notices go by no mail",
            [.number("account_id", account.rawValue)])
        }
      }
      try await surroundings.mails.enqueue(mails, in: transaction)
      return mails.count
    }
    if count > 0 { surroundings.mails.announce() }
    return count
  }

  /// Notices of one mail that are told one by one at most.
  private static let toldMax = 50

  private func mail(
    about notices: [OpenedNotice], to locale: ReaderLocale, of account: AccountID,
    with key: SealingKey
  ) throws(Problem) -> MailMessage? {
    guard let sealedEmail = notices.first?.row.sealedEmail,
      let address = MailAddress(try key.email(sealedEmail, of: account))
    else { return nil }
    let sorted = notices.sorted { $0.row.number < $1.row.number }
    var lines = sorted.prefix(Self.toldMax).map { "- \($0.text(for: locale))" }
    let isItalian = locale.language == .italian
    if sorted.count > Self.toldMax {
      let more = sorted.count - Self.toldMax
      lines.append(isItalian ? "- e altre \(more)" : "- and \(more) more")
    }
    return MailMessage(
      from: settings.sender, to: address,
      subject: isItalian ? "TrackMe: novità" : "TrackMe: news",
      text: """
        \(isItalian ? "Novità nel tuo account TrackMe:" : "News in your TrackMe account:")
        \(lines.joined(separator: "\n"))
        \(isItalian ? "Per rispondere, accedi a" : "To answer, log in at") \(settings.publicURL)
        """, world: surroundings.world)
  }

  /// A notice with what it says; without where it can't be opened, which is logged.
  private func open(
    _ row: NoticesToMail.Row, with keys: FoundKeys
  ) -> OpenedNotice {
    guard let key = keys[row.account] else { return OpenedNotice(row: row) }
    do throws(Problem) {
      let payload = try NoticeRoutes.payload(
        row.sealedPayload, row.number, of: row.account, with: key)
      return OpenedNotice(row: row, payload: payload)
    } catch {
      surroundings.log.error(
        "read notice for mail failed",
        [.number("account_id", row.account.rawValue), .number("number", row.number)])
      return OpenedNotice(row: row)
    }
  }

  /// The same notices, with the companies of their requests.
  private func naming(
    _ notices: [OpenedNotice], in transaction: Transaction<Problem>
  ) async throws(Problem) -> [OpenedNotice] {
    let requestIDs = notices.compactMap(\.requestID)
    guard !requestIDs.isEmpty else { return notices }
    let accounts = Set(notices.map(\.row.account)).sorted()
    let rows = try await transaction.run(
      CompaniesOfRequests(requestIDs: requestIDs, accounts: accounts))
    let names = try await companies.names(of: rows)
    return notices.map { notice in
      var notice = notice
      notice.company = notice.requestID.flatMap { names[$0] }
      return notice
    }
  }
}

/// A notice on its way into a mail.
private struct OpenedNotice {
  let row: NoticesToMail.Row
  var payload: [UInt8]?
  var company: String?

  var requestID: DataRequestID? {
    payload.flatMap { NoticeCompanies.request(of: row.kind, $0) }
  }

  func text(for locale: ReaderLocale) -> String {
    guard let payload else { return row.kind.words(in: locale.language) }
    return NoticeText.of(row.kind, payload, for: locale, company: company, isMailed: true)
  }
}

/// Takes notices whose time for a stream is over, and gives those that no stream has taken. By the
/// index of their times. Their accounts are held against deletion, since mails are queued for them;
/// those of one that is being deleted are passed over.
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
  let now: WallTime
  let countMax: Int64
}
