import Accounts
import AutomatedSOS
import Bytes
import Cryptography
import Domain
import EventLoop
import HealthRecords
import Postgres
import ServiceKit
import Time

/// Stores emergencies in the database: each begins once regardless of the number of replicas that
/// detect it, each stage ends once, and the person is notified in the same transaction. One per
/// loop.
///
/// Every transaction locks the account first, then the emergency, then sequences and notices, as
/// deletions do.
struct EmergencyStore: Sendable {
  /// A warning that is later than this starts a new window, because the person sees it only then.
  static let lateWarning = Duration.milliseconds(500)

  let environment: Environment
  let database: Database
  let accountKeys: AccountKeys
  let notices: Notices
  let settings: EmergencySettings
  private let identifiers: EmergencyIdentifiers

  init(
    environment: Environment, database: Database, accountKeys: AccountKeys, root: RootSecret,
    notices: Notices,
    _ settings: EmergencySettings
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.notices = notices
    self.settings = settings
    identifiers = EmergencyIdentifiers(root: root)
  }

  /// The identifier of an account's emergency.
  func identifier(of emergency: Emergency, _ account: AccountID) -> UniversalID {
    identifiers.identifier(of: emergency, account)
  }

  var window: Duration { .seconds(settings.abortSeconds) }

  /// Applies a transition of a detector. Returns the emergency that is stored in its place, if
  /// there is one: the detector continues with that.
  ///
  /// Stores nothing if the emergency `isOffline` when the database answers: the answer may have
  /// taken minutes.
  ///
  /// - Throws: `notFound` for a deleted account, `unavailable` if a database is unavailable.
  func apply(
    _ transition: EmergencyTransition, of account: AccountID, unless isOffline: () -> Bool
  ) async throws(ApplicationError) -> FollowedEmergency? {
    if transition.isNew { return try await begin(transition, of: account, unless: isOffline) }
    let switchedOff = try await switchedOff(by: account)
    let id = identifiers.identifier(of: transition.emergency, account)
    try await change(id, of: account) { (row, key) throws(ApplicationError) in
      guard !isOffline(), row.take(transition, at: environment.now()) else { return false }
      var details = try EmergencyDetails(row, under: key)
      details.add(transition)
      details.leaveOut(switchedOff)
      row.sealedDetails = details.sealed(for: row.id, under: key)
      return true
    }
    return nil
  }

  /// The types that a person does not store: a record contains only those of their readings that
  /// the emergency is based on.
  private func switchedOff(by account: AccountID) async throws(ApplicationError) -> DataTypeSet {
    do throws(PostgresError) {
      let rows = try await database.read(
        ChosenTypes(account: account), within: settings.transactionMax)
      return DataTypeSet(switchedOff: rows)
    } catch { throw .database(error) }
  }

  private func begin(
    _ transition: EmergencyTransition, of account: AccountID, unless isOffline: () -> Bool
  ) async throws(ApplicationError) -> FollowedEmergency? {
    let key = try await accountKeys.key(of: account)
    let now = environment.now()
    let id = identifiers.identifier(of: transition.emergency, account)
    var begun = EmergencyRow(id, transition, of: account)
    if now > begun.suspectedAt + Self.lateWarning { begun.warnLate(at: now) }
    let early = begun
    let present = try await database.transaction(
      retrying: .conflicts(times: 3), within: settings.transactionMax
    ) { (transaction) throws(ApplicationError) -> FollowedEmergency? in
      let (_, monitored, present, chosen) = try await transaction.run(
        HoldAccounts(accounts: [account]), HoldMonitoredUser(account: account),
        PresentEmergency(account: account, rule: early.rule, now: now),
        ChosenTypes(account: account))
      guard !monitored.isEmpty else { throw .notFound }
      if let present = present.first { return present }
      var (row, details) = (early, EmergencyDetails(transition))
      details.leaveOut(DataTypeSet(switchedOff: chosen))
      row.sealedDetails = details.sealed(for: id, under: key)
      guard !isOffline(), try await transaction.runOne(InsertEmergency(row: row)) != nil else {
        return nil
      }
      try await notices.add(EmergencyNotice.standing(row), in: transaction)
      return nil
    }
    notices.announce()
    return present
  }

  /// Begins a drill: it is confirmed from the beginning, so that it passes through the window to
  /// its end.
  ///
  /// - Throws: `conflict` if one is in progress.
  func beginDrill(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> UniversalID {
    let key = try await accountKeys.key(of: account)
    let now = environment.now()
    let id = UniversalID.random()
    var row = EmergencyRow(drill: id, of: account, at: now, window: window)
    row.sealedDetails = EmergencyDetails().sealed(for: id, under: key)
    let (_, monitored) = try await transaction.run(
      HoldAccounts(accounts: [account]), HoldMonitoredUser(account: account))
    guard !monitored.isEmpty else {
      throw .conflict("AutomatedSOS is switched off: enable it first.")
    }
    guard try await transaction.runOne(InsertEmergency(row: row)) != nil else {
      throw .conflict("A drill is in progress: wait for its end, or abort it.")
    }
    try await notices.add(
      EmergencyNotice.suspected(id, .drill, until: now + window, to: account), in: transaction)
    return id
  }

  /// Changes an emergency under its lock and notifies the person, unless `change` returns false.
  /// False then, and for an emergency of another account.
  @discardableResult
  func change(
    _ id: UniversalID, of account: AccountID, isNotified: Bool = true,
    _ change: (inout EmergencyRow, SealingKey) throws(ApplicationError) -> Bool
  ) async throws(ApplicationError) -> Bool {
    let key = try await accountKeys.key(of: account)
    let isChanged = try await database.transaction(
      retrying: .conflicts(times: 3), within: settings.transactionMax
    ) { (transaction) throws(ApplicationError) -> Bool in
      guard var row = try await hold(id, of: account, in: transaction) else { return false }
      let from = row.stage
      guard try change(&row, key) else { return false }
      return try await store(row, from: from, isNotified: isNotified, in: transaction)
    }
    if isChanged { notices.announce() }
    return isChanged
  }

  /// Locks an emergency of an account, with the recipients that are notified of it; nil for an
  /// emergency of another account.
  func hold(
    _ id: UniversalID, of account: AccountID, with others: [AccountID] = [],
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> EmergencyRow? {
    let (_, found) = try await transaction.run(
      HoldAccounts(accounts: [account] + others), LockEmergency(id: id))
    return found.first.flatMap { $0.account == account ? $0 : nil }
  }

  /// Stores a change of an emergency and notifies the person, if that is needed; false if it was at
  /// another stage. The notice comes last in a transaction.
  func store(
    _ row: EmergencyRow, from stage: EmergencyStage, isNotified: Bool = true,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    guard try await transaction.runOne(MoveEmergency(row: row, from: stage)) != nil else {
      return false
    }
    guard isNotified else { return true }
    try await notices.add(EmergencyNotice.changed(row), in: transaction)
    return true
  }
}

extension EmergencyRule {
  /// The rule of a detector.
  init(_ rule: Rule) {
    switch rule {
    case .heartRateLow: self = .heartRateLow
    case .heartRateHigh: self = .heartRateHigh
    case .bloodPressureLow: self = .bloodPressureLow
    case .bloodPressureHigh: self = .bloodPressureHigh
    case .fall: self = .fall
    case .shaking: self = .shaking
    case .lossOfPulse: self = .lossOfPulse
    }
  }

  /// The detector's rule; nil for a drill.
  var detectorRule: Rule? { Rule(rawValue: UInt8(rawValue)) }
}

extension DataTypeSet {
  /// The types that the read account has switched off; none without a row.
  fileprivate init(switchedOff rows: [ChosenTypes.Row]) {
    self.init(stored: rows.first?.disabled ?? 0)
  }
}
