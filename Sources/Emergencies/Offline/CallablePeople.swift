import Accounts
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// The sealed profiles of people whose readings arrive here: for the text of a call while no
/// database is available. One per loop.
///
/// A profile is opened only for an emergency, with a key that is in memory because the person
/// uploads; once the key is destroyed or evicted, nothing is readable.
struct CallablePeople: Sendable {
  /// The most people, as many as there are keys in memory; each takes about a kilobyte.
  static let countMax = AccountKeys.keptMax
  /// The age from which the next upload reads a profile again.
  static let ageMax = Duration.seconds(600)
  /// People read in one query.
  private static let readMax = 500

  private struct Sealed {
    let profile: ProfileRow
    let language: EmergencyLanguage
    let readAt: MonotonicInstant
  }

  private final class Memory {
    var people = RecentlyUsed<AccountID, Sealed>(countMax: CallablePeople.countMax)
    var wanted: Set<AccountID> = []
    var isReading = false
  }

  private let loop: EventLoop
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let memory: LoopBound<Memory>
  private let known: Gauge

  init(loop: EventLoop, database: Database, accountKeys: AccountKeys, log: Log, metrics: Metrics) {
    self.loop = loop
    self.database = database
    self.accountKeys = accountKeys
    self.log = log
    memory = LoopBound(Memory(), on: loop)
    known = metrics.gauge(
      "trackme_data4help_people_to_call_for",
      "Monitored people whose personal details are known to calls without the database.")
  }

  /// Reads the profile of a person who uploads, unless it was read recently. Returns at once.
  func keep(_ account: AccountID) {
    let memory = memory.value
    if let known = memory.people[account], known.readAt + Self.ageMax > loop.now {
      return
    }
    memory.wanted.insert(account)
    guard !memory.isReading else { return }
    memory.isReading = true
    loop.begin { await read() }
  }

  /// Whether a person's profile can be opened here.
  func knows(_ account: AccountID) -> Bool {
    memory.value.people[account] != nil && accountKeys.known(account) != nil
  }

  /// A person's profile, if it can be opened here; without a query.
  func person(_ account: AccountID) -> CalledPerson? {
    guard let known = memory.value.people[account],
      let key = accountKeys.known(account)
    else { return nil }
    do throws(ApplicationError) {
      let opened = try known.profile.sealed.open(SingleUserProfile.self, of: account, under: key)
      return CalledPerson(
        name: opened.profile.fullName, phone: opened.profile.phone,
        birthDate: known.profile.birthDate, sex: known.profile.sex, language: known.language)
    } catch {
      log.failure(
        "read person of emergency failed", error, .number("account_id", account.rawValue))
      return nil
    }
  }

  private func read() async {
    let memory = memory.value
    while !memory.wanted.isEmpty {
      let accounts = Array(memory.wanted.prefix(Self.readMax))
      memory.wanted.subtract(accounts)
      do throws(ApplicationError) {
        let rows = try await database.rows(PeopleToCallFor(accounts: accounts))
        // The uploads of these people need the keys as well, and keep them in memory.
        _ = try await accountKeys.keys(of: rows.map(\.account))
        let now = loop.now
        let before = memory.people.count
        defer { known.add(Int64(memory.people.count - before)) }
        for row in rows {
          memory.people[row.account] = Sealed(
            profile: row.profile, language: row.language, readAt: now)
        }
      } catch {
        // The next upload of each person reads the profile again.
        memory.wanted = []
      }
    }
    memory.isReading = false
  }
}

/// The profiles of monitored people, and the language for other people. By the primary keys.
struct PeopleToCallFor: Statement {
  struct Row: Sendable {
    let account: AccountID
    let language: EmergencyLanguage
    let profile: ProfileRow
  }
  static let sql: SQL<Self> = """
    SELECT account.account_id, monitored.language, account.state, account.birth_date, account.sex,
           account.language, account.time_zone, account.sealed_email, account.sealed_identity,
           account.sealed_profile
      FROM data4help.monitored_users AS monitored
      JOIN data4help.accounts AS account USING (account_id)
     WHERE monitored.account_id = ANY (\(\.accounts))
       AND monitored.permitted_at IS NOT NULL
    """
  static let columns = Columns {
    (
      account: AccountID, language: EmergencyLanguage, state: AccountState,
      birthDate: CalendarDate?, sex: Sex?, accountLanguage: Language?, timeZone: String?,
      email: [UInt8], identity: [UInt8], profile: [UInt8]
    ) in
    Row(
      account: account, language: language,
      profile: ProfileRow(
        state: state, birthDate: birthDate, sex: sex,
        locale: StoredLocale(language: accountLanguage, timeZone: timeZone),
        sealed: SealedAccount(email: email, identity: identity, profile: profile)))
  }
  let accounts: [AccountID]
}
