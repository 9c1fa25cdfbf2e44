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
/// The mail says what kind of thing happened and nothing of it: neither who asked nor for what.
package struct NoticeMails: Sendable {
  /// Notices of one transaction at most.
  static let batchMax: Int64 = 500

  private let surroundings: Surroundings
  private let settings: AuthenticationSettings

  /// Mails with the sender and the links of these settings.
  package init(_ surroundings: Surroundings, _ settings: AuthenticationSettings) {
    self.surroundings = surroundings
    self.settings = settings
  }

  /// Queues a mail for each account with notices that are due; gives how many mails. On the loop.
  ///
  /// - Throws: 503 if a database is away.
  package func send() async throws(Problem) -> Int {
    let count = try await surroundings.database.transaction { (transaction) throws(Problem) in
      let rows = try await transaction.run(
        NoticesToMail(now: surroundings.world.now(), countMax: Self.batchMax))
      var kinds: [AccountID: Set<NoticeKind>] = [:]
      var emails: [AccountID: [UInt8]] = [:]
      for row in rows {
        kinds[row.account, default: []].insert(row.kind)
        emails[row.account] = row.sealedEmail
      }
      let keys = try await surroundings.accountKeys.keys(of: kinds.keys.sorted())
      var mails: [(MailMessage, of: MailTies)] = []
      for (account, key) in keys.keys {
        guard let sealed = emails[account], let kinds = kinds[account] else { continue }
        do throws(Problem) {
          let mail = try mail(about: kinds, to: sealed, of: account, with: key)
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

  private func mail(
    about kinds: Set<NoticeKind>, to sealedEmail: [UInt8], of account: AccountID,
    with key: SealingKey
  ) throws(Problem) -> MailMessage? {
    guard let address = MailAddress(try key.email(sealedEmail, of: account)) else { return nil }
    let sorted = NoticeKind.allCases.filter(kinds.contains)
    return MailMessage(
      from: settings.sender, to: address, subject: "TrackMe: novità / news",
      text: """
        Ci sono novità nel tuo account TrackMe:
        \(sorted.map { "- \($0.italian)" }.joined(separator: "\n"))
        Per leggerle, accedi a \(settings.publicURL)

        ---

        There is news in your TrackMe account:
        \(sorted.map { "- \($0.english)" }.joined(separator: "\n"))
        To read it, log in at \(settings.publicURL)
        """, world: surroundings.world)
  }
}

extension NoticeKind {
  fileprivate var english: String {
    switch self {
    case .request: "somebody asks for your data"
    case .answer: "a request was answered or has expired"
    case .ended: "a subscription has ended, or will soon"
    case .room: "the room for your data is used up"
    case .security: "something about the safety of your account"
    case .alarm: "an alarm"
    case .run: "a run"
    }
  }

  fileprivate var italian: String {
    switch self {
    case .request: "qualcuno chiede i tuoi dati"
    case .answer: "una richiesta ha avuto risposta o è scaduta"
    case .ended: "una sottoscrizione è finita o sta per finire"
    case .room: "lo spazio per i tuoi dati è esaurito"
    case .security: "qualcosa sulla sicurezza del tuo account"
    case .alarm: "un allarme"
    case .run: "una corsa"
    }
  }
}

/// Takes notices whose time for a stream is over, and gives those that no stream has taken. By the
/// index of their times. Their accounts are held against deletion, since mails are queued for them;
/// those of one that is being deleted are passed over.
struct NoticesToMail: Statement {
  struct Row: Sendable {
    let account: AccountID
    let kind: NoticeKind
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
      RETURNING notice.account_id, notice.number, notice.kind)
    SELECT taken.account_id, taken.kind, account.sealed_email
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
