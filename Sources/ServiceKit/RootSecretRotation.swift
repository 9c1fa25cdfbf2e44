import Cryptography
import EventLoop
import Operations
import Postgres
import Time

/// Replaces the root secret while the services use it (OPS-6, decision 0052).
///
/// The file and the data's database show which step is next, so that a rotation that was
/// interrupted anywhere continues. A new secret is first added at the end of the file: nothing may
/// be made under a secret that a process lacks.
package struct RootSecretRotation: Sendable {
  /// A step; each can be repeated.
  package enum Step: Sendable, CaseIterable {
    /// Adds a new secret at the end of the file.
    case announce
    /// Moves the new secret to the front, once every process has read it.
    case promote
    /// Rewrites what depends on the former secret, once every process uses the new one.
    case rewrite
    /// Moves the former secret to the file of retired ones.
    case remove
    /// Ends the rotation, once no process has the former secret in memory.
    case release
  }

  private let file: RootSecretFile
  private let root: RootSecret
  private let data: Database
  private let keys: Database
  private let uses: [any RootSecretUse]
  private let environment: Environment
  private let readers: KeyReaders
  private let transactions: OpenTransactions
  private let sealingDelay: Duration
  private let say: @Sendable (String) -> Void

  /// A rotation of the secrets in this file, which the uses of `root` follow; `say` prints its
  /// progress. A step fails if it waits for processes for longer than `waitMax`, or for a
  /// transaction for longer than `transactionMax`. `sealingDelay` is the longest time from the
  /// sealing of a value until its transaction begins: the longest wait for a connection, and a
  /// second.
  package init(
    on loop: EventLoop, file: RootSecretFile, root: RootSecret, data: Database, keys: Database,
    uses: [any RootSecretUse], environment: Environment, waitMax: Duration = .seconds(600),
    transactionMax: Duration = .seconds(600),
    sealingDelay: Duration = DatabaseSettings.longestWait + .seconds(1),
    say: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.root = root
    self.data = data
    self.keys = keys
    self.uses = uses
    self.environment = environment
    readers = KeyReaders(on: loop, path: file.path, waitMax: waitMax, say: say)
    transactions = OpenTransactions(
      database: data, loop: loop, waitMax: transactionMax, say: say)
    self.sealingDelay = sealingDelay
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
  /// - Throws: `StartError` if the file or the database can't be read, or if the database is from
  ///   before a rotation.
  package func next() async throws(StartError) -> Step? {
    let ring = try read()
    let stored = try await stored(ring)
    let names = ring.identifiers.map(\.description)
    guard names.count > 1 else {
      return try await lagging(ring, exactly: true, true) > 0 ? .release : nil
    }
    if names[0] != stored.identifier { return .promote }
    if stored.former != nil { return .rewrite }
    return Self.announced(ring) == nil ? .remove : .promote
  }

  /// The further secret that is new: former ones have left keys in the file.
  private static func announced(_ ring: RootKeyRing) -> KeyIdentifier? {
    ring.identifiers.dropFirst().first { !ring.keptIdentifiers.contains($0) }
  }

  /// Performs one step.
  ///
  /// - Throws: `StartError`; the step can be repeated.
  package func perform(_ step: Step) async throws(StartError) {
    switch step {
    case .announce: try announce()
    case .promote: try await promote()
    case .rewrite: try await rewrite()
    case .remove: try remove()
    case .release: try await release()
    }
  }

  private func announce() throws(StartError) {
    let former = try read()
    try write(changing { () throws(CryptographyError) in try former.announcing() })
    say("1/5 A new root secret is at the end of \(file.path).")
  }

  private func promote() async throws(StartError) {
    let ring = try read()
    try await wait(for: ring, exactly: false)
    let stored = try await stored(ring)
    let isInFront = ring.identifiers[0].description != stored.identifier
    guard let new = isInFront ? ring.identifiers[0] : Self.announced(ring) else { return }
    try write(ring.promoting(new))
    // The keys' database first: the data's then shows that both have the new name.
    try await renameKeysInstallation(to: new.description)
    try await replace(by: new.description, former: stored.identifier)
    say("2/5 The new root secret is at the front of the file.")
  }

  private func rewrite() async throws(StartError) {
    var ring: RootKeyRing
    repeat {
      ring = try read()
      try await wait(for: ring, exactly: true)
      try await transactions.waitForEnd(after: sealingDelay)
      for use in uses {
        let renewal = try await use.renew()
        let faults = renewal.unreadable == 0 ? "" : "; \(renewal.unreadable) can't be read"
        say("3/5 \(renewal.changed) \(renewal.subject) renewed\(faults)")
      }
      // A process may have started meanwhile with a file in which the former secret is in front.
    } while try await lagging(ring, exactly: true, readers.isSettled) > 0
    try await writing(EndRootRewriting(), to: data)
  }

  private func remove() throws(StartError) {
    let ring = try read()
    if let former = ring.only(Set(ring.identifiers.dropFirst())) { try file.retire(former) }
    try write(ring.removingFormer())
    say("4/5 The former root secret is in \(file.retiredPath): keep it with the older backups.")
  }

  private func release() async throws(StartError) {
    try await wait(for: try read(), exactly: true)
    say("5/5 No process has the former root secret in memory.")
  }
}

extension RootSecretRotation {
  /// Prepares the rotation of databases from before the last one: adds the former secrets that they
  /// need from the file of retired ones. Returns whether they needed any; `run` then continues.
  ///
  /// - Throws: `StartError` that names the secrets that are in neither file.
  package func prepareRestored() async throws(StartError) -> Bool {
    let ring = try read()
    guard let stored = try await reading(RootSecretNames()).first else { return false }
    let ofKeys = try await readingKeys(InstallationOfKeys()).first
    let names = ring.identifiers.map(\.description)
    let needed = Set([stored.identifier, stored.former, ofKeys].compactMap(\.self))
      .union(Self.sequence(of: ring, from: ofKeys, to: stored.identifier))
      .subtracting(names)
    // In front of the file is the secret of the data: the keys' database alone is from before.
    let isOfKeys = names[0] == stored.identifier && ofKeys.map { $0 != names[0] } == true
    guard !needed.isEmpty || isOfKeys else { return false }
    if !needed.isEmpty { try add(needed, to: ring) }
    if isOfKeys, let ofKeys {
      // Records are anchored again. The data's database first: it shows the next step.
      if stored.former == nil { try await replace(by: stored.identifier, former: ofKeys) }
      try await renameKeysInstallation(to: stored.identifier)
    }
    say("The root secrets of the restored databases are at the end of \(file.path).")
    return true
  }

  /// Adds secrets of the file of retired ones.
  private func add(_ needed: Set<String>, to ring: RootKeyRing) throws(StartError) {
    let retired = try file.readRetired()
    let found = (retired?.identifiers ?? []).filter { needed.contains($0.description) }
    guard found.count == needed.count, let former = retired?.only(Set(found)) else {
      let absent = needed.subtracting(found.map(\.description)).sorted()
      throw StartError(
        "The restored database needs a root secret that neither \(file.path) nor "
          + "\(file.retiredPath) contains: \(absent.joined(separator: ", ")). Put the file of "
          + "retired secrets that was kept with this backup back.")
    }
    try write(changing { () throws(CryptographyError) in try ring.appending(former) })
  }

  /// The secrets that were in use from one to another: entries of records that a restored keys'
  /// database has not anchored were made under each. Empty if the order is the opposite.
  private static func sequence(
    of ring: RootKeyRing, from first: String?, to last: String
  ) -> [String] {
    let order = (ring.keptIdentifiers + ring.identifiers.prefix(1)).map(\.description)
    guard let first, let start = order.firstIndex(of: first),
      let end = order.firstIndex(of: last), start < end
    else { return [] }
    return Array(order[start...end])
  }

  /// Stores the name of the secret in use in the data's database.
  private func replace(by name: String, former: String) async throws(StartError) {
    let names = try read().identifiers.map(\.description)
    let replaced = try await writing(
      ReplaceRootSecret(identifier: name, former: former, names: names), to: data)
    if replaced.isEmpty { throw replacedElsewhere }
  }

  /// Stores the name of the secret in use in the keys' database.
  private func renameKeysInstallation(to name: String) async throws(StartError) {
    let names = try read().identifiers.map(\.description)
    let renamed = try await writing(RenameKeysInstallation(root: name, names: names), to: keys)
    if renamed.isEmpty { throw replacedElsewhere }
  }

  private var replacedElsewhere: StartError {
    StartError(
      "Another command has replaced the root secret meanwhile. Copy the file of the machine on "
        + "which it ran to \(file.path).")
  }

  /// The names that the database has; throws if it belongs to other secrets.
  private func stored(_ ring: RootKeyRing) async throws(StartError) -> RootSecretNames.Row {
    let mismatch: StartError?
    do throws(PostgresError) {
      mismatch = try await RootSecretCheck(path: file.path, database: data)
        .mismatch(of: ring, at: environment.now())
    } catch {
      throw .rotation(error)
    }
    if let mismatch { throw mismatch }
    guard let row = try await reading(RootSecretNames()).first else {
      throw StartError("The database names no root secret: start the services first.")
    }
    return row
  }

  /// Waits until every living process has these secrets.
  private func wait(for ring: RootKeyRing, exactly: Bool) async throws(StartError) {
    try await readers.wait { (isSettled) async throws(StartError) in
      try await lagging(ring, exactly: exactly, isSettled)
    }
  }

  private func lagging(
    _ ring: RootKeyRing, exactly: Bool, _ isSettled: Bool
  ) async throws(StartError) -> Int64 {
    let names = ring.identifiers.map(\.description)
    let readers = LaggingRootReaders(names: names, exactly: exactly, isSettled: isSettled)
    guard let count = try await reading(readers).first else {
      throw .rotation(.unexpectedResult("the server counts no processes"))
    }
    return count
  }

  /// The secrets of the file, which the uses follow.
  private func read() throws(StartError) -> RootKeyRing {
    let ring = try file.read()
    root.use(ring)
    return ring
  }

  private func write(_ ring: RootKeyRing) throws(StartError) {
    try file.write(ring)
    root.use(ring)
  }

  private func changing(
    _ body: () throws(CryptographyError) -> RootKeyRing
  ) throws(StartError) -> RootKeyRing {
    do throws(CryptographyError) { return try body() } catch {
      throw StartError(
        "The key file \(file.path) is full: it holds the keys that "
          + "\(RootKeyRing.keptMax) former root secrets have left.")
    }
  }

  private func reading<S: Statement>(_ statement: S) async throws(StartError) -> [S.Row] {
    do throws(PostgresError) { return try await data.read(statement) } catch {
      throw .rotation(error)
    }
  }

  private func readingKeys<S: Statement>(_ statement: S) async throws(StartError) -> [S.Row] {
    do throws(PostgresError) { return try await keys.read(statement) } catch {
      throw .rotation(error)
    }
  }

  @discardableResult
  private func writing<S: Statement>(
    _ statement: S, to database: Database
  ) async throws(StartError) -> [S.Row] {
    do throws(PostgresError) { return try await database.write(statement) } catch {
      throw .rotation(error)
    }
  }
}
