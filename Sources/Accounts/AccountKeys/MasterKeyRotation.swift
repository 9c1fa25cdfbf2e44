import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Replaces the master key while the services use it (OPS-6, decision 0052).
///
/// The key file and the keys' database show which step is next, so that a rotation that was
/// interrupted anywhere continues. A new key is first added at the end of the file: no process may
/// wrap under a key that another one lacks.
package struct MasterKeyRotation: Sendable {
  /// The account keys that one transaction rewraps.
  package static let batchMax = 500
  /// A step; each can be repeated.
  package enum Step: Sendable, CaseIterable {
    /// Adds a new key at the end of the file.
    case announce
    /// Moves the new key to the front, once every process has read it.
    case promote
    /// Rewraps the account keys, once every process wraps under the new key.
    case rewrap
    /// Retires the former keys, if no account key is under them.
    case retire
    /// Moves the former keys to the file of retired ones.
    case remove
    /// Ends the rotation, once no process has a former key in memory.
    case release
  }

  private let file: MasterKeyFile
  private let database: Database
  private let environment: Environment
  private let readers: KeyReaders
  private let say: @Sendable (String) -> Void

  /// A rotation of the keys in this file and database; `say` prints its progress. A step fails if
  /// it waits for processes for longer than `waitMax`.
  package init(
    on loop: EventLoop, file: MasterKeyFile, database: Database, environment: Environment,
    waitMax: Duration = .seconds(600), say: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.database = database
    self.environment = environment
    readers = KeyReaders(on: loop, path: file.path, waitMax: waitMax, say: say)
    self.say = say
  }

  /// Continues the rotation that was interrupted, or does a whole one.
  ///
  /// - Throws: `StartError`; another run continues.
  package func run() async throws(StartError) {
    var step = try await next() ?? .announce
    while true {
      try await perform(step)
      guard let following = try await next() else { return }
      step = following
    }
  }

  /// The step that an interrupted rotation continues with; nil if none is under way.
  ///
  /// - Throws: `StartError` if the file or the database cannot be read.
  package func next() async throws(StartError) -> Step? {
    let ring = try file.read()
    let states = try await reading(MasterKeyStates())
    let names = ring.identifiers.map(\.description)
    guard names.count > 1 else {
      return states.contains { $0.isRetired && !$0.isReleased } ? .release : nil
    }
    let newest = Self.newest(of: names, states)
    guard names[0] == newest else { return .promote }
    if try await reading(IsWrappedUnderOthers(identifiers: [newest])).first == true {
      return .rewrap
    }
    return states.contains { $0.identifier != newest && !$0.isRetired } ? .retire : .remove
  }

  /// The key of a file that the rotation is moving to: one that the database does not know yet,
  /// else the one adopted last.
  private static func newest(of names: [String], _ states: [MasterKeyStates.Row]) -> String {
    let known = Dictionary(uniqueKeysWithValues: states.map { ($0.identifier, $0) })
    if known[names[0]] == nil { return names[0] }
    if let new = names.last(where: { known[$0] == nil }) { return new }
    let usable = names.filter { known[$0]?.isRetired == false }
    let times = usable.compactMap { known[$0]?.adoptedAt }
    // Keys that were adopted together are in the order of the file.
    return usable.first { known[$0]?.adoptedAt == times.max() } ?? names[0]
  }

  /// Performs one step.
  ///
  /// - Throws: `StartError`; the step can be repeated.
  package func perform(_ step: Step) async throws(StartError) {
    switch step {
    case .announce: try await announce()
    case .promote: try await promote()
    case .rewrap: try await rewrap()
    case .retire: try await retire()
    case .remove: try await remove()
    case .release: try await release()
    }
  }

  private func announce() async throws(StartError) {
    let former = try file.read()
    let ring = try changing { () throws(CryptographyError) in try former.announcing() }
    // First, so that the new key is adopted last, also where no service has adopted the former one.
    try await adopt(former)
    try file.write(ring)
    try await adopt(ring)
    say("1/6 A new master key is at the end of \(file.path).")
  }

  private func promote() async throws(StartError) {
    let ring = try file.read()
    try await adopt(ring)
    let states = try await reading(MasterKeyStates())
    let names = ring.identifiers.map(\.description)
    try await wait(for: names, exactly: false)
    let newest = Self.newest(of: names, states)
    guard let key = ring.identifiers.first(where: { $0.description == newest }) else { return }
    try file.write(ring.promoting(key))
    say("2/6 The new master key is at the front of the file.")
  }

  private func rewrap() async throws(StartError) {
    let ring = try file.read()
    try await adopt(ring)
    try await wait(for: ring.identifiers.map(\.description), exactly: true)
    let newest = ring.identifiers[0].description
    let total = try await reading(MasterKeysInUse())
      .reduce(0) { $0 + ($1.identifier == newest ? 0 : $1.count) }
    let wrapper = KeyWrapper(ring)
    var (after, done, damaged) = (AccountID(rawValue: .min), Int64(0), [AccountID]())
    while true {
      let batch = try await rewrapSome(after: after, newest, wrapper)
      guard let last = batch.last else { break }
      after = last
      done += batch.rewrapped
      damaged += batch.damaged
      say("3/6 \(done) of \(total) account keys are wrapped under the new master key.")
    }
    guard let first = damaged.first else { return }
    throw StartError(
      "\(damaged.count) account keys can't be unwrapped, the first is that of account "
        + "\(first.rawValue). The former master key stays in use. Restore the key database, or "
        + "delete these accounts, and run the command again.")
  }

  /// A batch of account keys.
  private struct Batch {
    var last: AccountID?
    var rewrapped: Int64 = 0
    var damaged: [AccountID] = []
  }

  private func rewrapSome(
    after: AccountID, _ newest: String, _ wrapper: KeyWrapper
  ) async throws(StartError) -> Batch {
    do throws(ApplicationError) {
      return try await database.transaction { (transaction) throws(ApplicationError) in
        let rows = try await transaction.run(
          LockKeysUnderOthers(after: after, newest: newest, limit: Self.batchMax))
        var (batch, stored) = (Batch(last: rows.last?.account), StoreRewrappedKeys())
        for row in rows {
          do throws(CryptographyError) {
            let account = row.account.rawValue
            let key = try wrapper.unwrap(row.wrapped.span, account: account)
            stored.accounts.append(row.account)
            stored.wrapped.append(wrapper.wrap(key, account: account))
          } catch {
            batch.damaged.append(row.account)
          }
        }
        batch.rewrapped = Int64(stored.accounts.count)
        try await transaction.run(stored)
        return batch
      }
    } catch {
      throw Self.unavailable(error)
    }
  }

  private func retire() async throws(StartError) {
    let newest = try file.read().identifiers[0].description
    let isDone: Bool
    do throws(ApplicationError) {
      isDone = try await database.transaction { (transaction) throws(ApplicationError) in
        // First, so that no process stores a key under a former one after the search.
        try await transaction.run(RetireMasterKeys(newest: newest))
        let isUsed = try await transaction.runOne(IsWrappedUnderOthers(identifiers: [newest]))
        if isUsed == true { throw .conflict("An account key is under a former master key.") }
        return true
      }
    } catch {
      // The next step rewraps what was stored meanwhile.
      guard error.reason == .conflict else { throw Self.unavailable(error) }
      isDone = false
    }
    if isDone { say("4/6 No account key is under a former master key, and none can be stored.") }
  }

  private func remove() async throws(StartError) {
    let ring = try file.read()
    if let former = ring.only(Set(ring.identifiers.dropFirst())) { try file.retire(former) }
    try file.write(ring.keeping([]))
    say("5/6 The former master key is in \(file.retiredPath): keep it with the older backups.")
  }

  private func release() async throws(StartError) {
    try await wait(for: try file.read().identifiers.map(\.description), exactly: true)
    try await writing(ReleaseMasterKeys())
    say("6/6 No process has the former master key in memory.")
  }
}

extension MasterKeyRotation {
  /// Prepares the rotation of a keys' database from before the last one: adds the former keys that
  /// it needs from the file of retired ones. Returns whether it needed any; `run` then continues.
  ///
  /// - Throws: `StartError` that names the keys that are in neither file.
  package func prepareRestored() async throws(StartError) -> Bool {
    let ring = try file.read()
    let known = Set(ring.identifiers.map(\.description))
    let missing = try await reading(MasterKeysInUse()).filter { !known.contains($0.identifier) }
    guard !missing.isEmpty else { return false }
    let retired = try file.readRetired()
    let found = (retired?.identifiers ?? []).filter { identifier in
      missing.contains { $0.identifier == identifier.description }
    }
    let absent = missing.filter { key in !found.contains { $0.description == key.identifier } }
    guard absent.isEmpty, let needed = retired?.only(Set(found)) else {
      let keys = absent.map { "\($0.identifier) (\($0.count) account keys)" }
      throw StartError(
        "The restored database needs a master key that neither \(file.path) nor "
          + "\(file.retiredPath) contains: \(keys.joined(separator: ", ")). Put the file of "
          + "retired keys that was kept with this backup back.")
    }
    try file.write(changing { () throws(CryptographyError) in try ring.appending(needed) })
    say("The master keys of the restored database are at the end of \(file.path).")
    return true
  }

  /// Waits until every living process has these keys.
  private func wait(for names: [String], exactly: Bool) async throws(StartError) {
    try await readers.wait { (isSettled) async throws(StartError) in
      let lagging = LaggingKeyReaders(names: names, exactly: exactly, isSettled: isSettled)
      return try await reading(lagging).first ?? 0
    }
  }

  private func adopt(_ ring: MasterKeyRing) async throws(StartError) {
    let names = ring.identifiers.map(\.description)
    try await writing(AdoptMasterKeys(identifiers: names, at: environment.now()))
  }

  private func changing(
    _ body: () throws(CryptographyError) -> MasterKeyRing
  ) throws(StartError) -> MasterKeyRing {
    do throws(CryptographyError) { return try body() } catch {
      throw StartError("The key file \(file.path) holds too many keys.")
    }
  }

  private func reading<S: Statement>(_ statement: S) async throws(StartError) -> [S.Row] {
    do throws(PostgresError) { return try await database.read(statement) } catch {
      throw .rotation(error)
    }
  }

  private func writing(_ statement: some Statement) async throws(StartError) {
    do throws(PostgresError) { try await database.write(statement) } catch {
      throw .rotation(error)
    }
  }

  private static func unavailable(_ error: ApplicationError) -> StartError {
    let cause = error.cause ?? "The database failed."
    return StartError(
      "The keys' database can't be used: \(cause) Run the command again: it continues.")
  }
}
