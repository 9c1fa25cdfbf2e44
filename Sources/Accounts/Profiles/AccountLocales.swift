import Domain
import InternalAPI
import JSON
import Postgres
import PublicAPI
import ServiceKit

extension LocaleFields {
  /// The stored values afterwards.
  ///
  /// - Throws: `invalid` for a time zone that is not installed.
  func applied(to stored: StoredLocale, _ zones: TimeZones) throws(ApplicationError) -> StoredLocale
  {
    if case .set(let name) = timeZone, zones.rules(named: name) == nil {
      throw .invalid(
        "Use a name of the IANA time zone database, such as Europe/Rome.", field: "time_zone")
    }
    return StoredLocale(
      language: language.applied(to: stored.language) { $0 },
      timeZone: timeZone.applied(to: stored.timeZone) { $0 })
  }
}

/// The language and time zone that an account has chosen; nil for the installation's.
package struct StoredLocale: Sendable {
  /// The columns of both, of `account`.
  static let columnList: StaticString = "account.language, account.time_zone"

  var language: Language?
  var timeZone: String?

  /// The choice of an account; nil for the values of the installation.
  package init(language: Language? = nil, timeZone: String? = nil) {
    self.language = language
    self.timeZone = timeZone
  }
}

extension Language: PostgresValue {}

/// The locales of texts to accounts.
package struct AccountLocales: Sendable {
  /// The installed time zones.
  let timeZones: TimeZones

  /// Locales in these time zones.
  package init(timeZones: TimeZones) {
    self.timeZones = timeZones
  }

  /// The locale for texts to an account that has chosen these.
  package func locale(_ stored: StoredLocale) -> ReaderLocale {
    timeZones.locale(language: stored.language, zoneName: stored.timeZone)
  }

  /// The locale for texts to an account; that of the installation for a deleted account.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func locale(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ReaderLocale {
    try await locale(storedLocale(of: account, in: transaction))
  }

  /// An account's choice; no choice for a deleted account.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func storedLocale(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> StoredLocale {
    try await transaction.runOne(LocalesOfAccounts(accounts: [account]))?.locale ?? StoredLocale()
  }

  /// A mail for a reader; in both languages if the reader has chosen none.
  package func text(of mail: ReaderMail, for reader: StoredLocale) -> MailText {
    func text(in language: Language) -> MailText {
      mail.text(for: locale(StoredLocale(language: language, timeZone: reader.timeZone)))
    }
    if let language = reader.language { return text(in: language) }
    let (italian, english) = (text(in: .italian), text(in: .english))
    return MailText(
      subject: "\(italian.subject) / \(english.subject.trimmingPrefix("TrackMe: "))",
      text: "\(italian.text)\n\n---\n\n\(english.text)")
  }

  /// The locales for texts to these accounts, in one statement; deleted accounts are left out.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func locales(
    of accounts: [AccountID], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccountID: ReaderLocale] {
    try await locales(from: transaction.run(LocalesOfAccounts(accounts: accounts)))
  }

  /// The same outside a transaction.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func locales(
    of accounts: [AccountID], in database: Database
  ) async throws(ApplicationError) -> [AccountID: ReaderLocale] {
    try await locales(from: database.rows(LocalesOfAccounts(accounts: accounts)))
  }

  private func locales(from rows: [LocalesOfAccounts.Row]) -> [AccountID: ReaderLocale] {
    Dictionary(uniqueKeysWithValues: rows.map { ($0.account, locale($0.locale)) })
  }
}

extension JSONWriter {
  /// Writes the effective language and time zone of an account, chosen or not.
  mutating func fields(of locale: ReaderLocale) {
    field("language", locale.language.rawValue)
    field("time_zone", locale.zoneName)
  }
}

/// The chosen language and time zone of accounts. By the primary key.
struct LocalesOfAccounts: Statement {
  struct Row: Sendable {
    let account: AccountID
    let locale: StoredLocale
  }
  static let sql: SQL<Self> = """
    SELECT account_id, \(fragment: StoredLocale.columnList)
      FROM data4help.accounts AS account
     WHERE account_id = ANY (\(\.accounts))
    """
  static let columns = Columns {
    (account: AccountID, language: Language?, timeZone: String?) in
    Row(account: account, locale: StoredLocale(language: language, timeZone: timeZone))
  }
  let accounts: [AccountID]
}

/// The sealed email of an account, with its language and time zone. By the primary key.
package struct MailRecipient: Statement {
  /// The recipient of a mail.
  package struct Row: Sendable {
    /// Sealed with the key of the account.
    package let sealedEmail: [UInt8]
    /// The choice of the account.
    package let locale: StoredLocale
  }
  package static let sql: SQL<Self> = """
    SELECT sealed_email, \(fragment: StoredLocale.columnList)
      FROM data4help.accounts AS account
     WHERE account_id = \(\.account)
       AND state <> 1
    """
  package static let columns = Columns { (email: [UInt8], language: Language?, timeZone: String?) in
    Row(sealedEmail: email, locale: StoredLocale(language: language, timeZone: timeZone))
  }
  let account: AccountID

  /// Reads the address of an account.
  package init(account: AccountID) {
    self.account = account
  }
}
