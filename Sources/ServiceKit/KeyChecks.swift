import Cryptography
import EventLoop
import Operations
import Postgres
import Time

/// Compares key files with their databases before either is used.
///
/// With a foreign root secret every blind index has other values, so that an email could be
/// registered twice; with a foreign master key no sealed value opens; with a foreign key for push
/// services every message is refused. Each database therefore stores the names of its keys
/// (``KeyIdentifier``). The first process that starts on a database without names writes those of
/// its files. The keys' database also holds the name of the root secret, because nothing else shows
/// that it belongs to the data.
package struct KeyChecks: Sendable {
  /// The attempts, one per second, of a process that must compare before it serves.
  private static let triesMax = 30
  private static let pause = Duration.seconds(1)

  /// The names in a key file, and its database.
  private struct Compared {
    let names: [String]
    let path: String
    let database: Database
  }

  private let root: RootKeyRing
  private let rootCheck: RootSecretCheck
  private let keysDatabase: KeysDatabaseCheck?
  private let masterKeys: Compared?
  private let pushKey: Compared?
  private let now: @Sendable () -> Instant

  /// The comparisons of a process with the root secret alone, of one that uses the keys' database
  /// too, and of one with the master keys and the key for push services.
  ///
  /// - Throws: `StartError` when the paths of the files are missing.
  package init(
    _ settings: Settings, root: RootSecret, in database: Database, keysDatabase: Database? = nil,
    masterKeys: (ring: MasterKeyRing, database: Database)? = nil, pushKey: PushKey? = nil,
    now: @escaping @Sendable () -> Instant
  ) throws(StartError) {
    self.root = root.ring
    let check = RootSecretCheck(
      path: try Self.path(SettingTable.rootSecretPath, settings), database: database)
    rootCheck = check
    self.keysDatabase = (masterKeys?.database ?? keysDatabase).map { keys in
      KeysDatabaseCheck(root: root.ring, path: check.path, keys: keys, data: database)
    }
    if let masterKeys {
      self.masterKeys = Compared(
        names: masterKeys.ring.identifiers.map(\.description),
        path: try Self.path(SettingTable.masterKeyPath, settings),
        database: masterKeys.database)
    } else {
      self.masterKeys = nil
    }
    self.pushKey = try pushKey.map { (key) throws(StartError) in
      Compared(
        names: [key.identifier.description],
        path: try Self.path(SettingTable.pushKeyPath, settings), database: database)
    }
    self.now = now
  }

  private static func path(
    _ setting: Setting<String>, _ settings: Settings
  ) throws(StartError) -> String {
    do throws(SettingsError) { return try settings.value(setting) } catch {
      throw StartError(error)
    }
  }

  /// Compares the keys' database, for a command that uses no other.
  ///
  /// - Throws: `StartError` if it belongs to another installation, or does not respond.
  package static func require(
    keysDatabase keys: Database, of root: RootSecret, _ settings: Settings
  ) async throws(StartError) {
    let check = KeysDatabaseCheck(
      root: root.ring, path: try path(SettingTable.rootSecretPath, settings), keys: keys, data: nil)
    let found: StartError?
    do throws(PostgresError) { found = try await check.mismatch() } catch {
      throw StartError("The keys' database can't be compared: \(error.descriptionWithRemedy)")
    }
    if let found { throw found }
  }

  /// Compares, for a command of the operator.
  ///
  /// - Throws: `StartError` if a file belongs to another database, or a database does not respond.
  package func require() async throws(StartError) {
    let found: StartError?
    do throws(PostgresError) { found = try await mismatch() } catch {
      throw StartError(
        "The key files can't be compared with the database: \(error.descriptionWithRemedy)")
    }
    if let found { throw found }
  }

  /// The error for the operator if these master keys, read again from their file, are not those of
  /// the database; nil if they match, and after identifiers of new ones were stored.
  ///
  /// - Throws: `PostgresError` while the database is unavailable.
  package func mismatch(
    ofReread ring: MasterKeyRing
  ) async throws(PostgresError) -> StartError? {
    guard let masterKeys else { return nil }
    return try await mismatch(
      ofMasterKeys: Compared(
        names: ring.identifiers.map(\.description), path: masterKeys.path,
        database: masterKeys.database))
  }

  /// The error for the operator if a file belongs to another database; nil if all files match.
  ///
  /// - Throws: `PostgresError` while a database is unavailable.
  private func mismatch() async throws(PostgresError) -> StartError? {
    if let found = try await rootCheck.mismatch(of: root, at: now()) { return found }
    if let found = try await keysDatabase?.mismatch() { return found }
    if let masterKeys, let found = try await mismatch(ofMasterKeys: masterKeys) { return found }
    // Not by a command, which does not show that its master key opens the database.
    if masterKeys != nil { try await keysDatabase?.adopt(at: now()) }
    guard let pushKey else { return nil }
    return try await mismatch(ofPushKey: pushKey)
  }

  private func mismatch(
    ofPushKey compared: Compared
  ) async throws(PostgresError) -> StartError? {
    let (database, path, name) = (compared.database, compared.path, compared.names[0])
    try await database.write(AdoptPushKey(identifier: name, at: now()))
    guard let stored = try await database.readOne(PushKeyName()) else {
      throw .unexpectedResult("the push key's name is not there after it was stored")
    }
    guard stored != name else { return nil }
    return StartError(
      "The key file \(path) belongs to another installation: it holds the push key \(name), and "
        + "browsers have subscribed with \(stored). Put its own file back, or end the "
        + "subscriptions as the documentation on operations says.")
  }

  private func mismatch(
    ofMasterKeys compared: Compared
  ) async throws(PostgresError) -> StartError? {
    let (database, path, names) = (compared.database, compared.path, compared.names)
    let stored = try await database.read(MasterKeyNames())
    let isForeign = !stored.isEmpty && stored.allSatisfy { !names.contains($0) }
    // A name that the file lacks belongs to a key that was rotated, or that is lost: the account
    // keys show which. They also decide if no name is stored yet.
    var lacksKey = false
    if stored.isEmpty || !stored.allSatisfy(names.contains) {
      lacksKey = try await database.readOne(IsWrappedUnderOthers(identifiers: names)) ?? false
    }
    if try await database.readOne(IsMasterKeyRetired(identifier: names[0])) == true {
      return StartError(
        "The key file \(path) begins with the master key \(names[0]), which a rotation has "
          + "replaced. Copy the file of the machine on which `trackme keys rotate master` ran.")
    }
    guard isForeign || lacksKey else {
      let new = names.filter { !stored.contains($0) }
      if !new.isEmpty { try await database.write(AdoptMasterKeys(identifiers: new, at: now())) }
      return nil
    }
    return StartError(
      "The key file \(path) lacks a master key of this installation: it holds "
        + "\(names.joined(separator: ", ")), and account keys were wrapped with "
        + "\(stored.isEmpty ? "others" : stored.joined(separator: ", ")). "
        + "Put its own file back; after a restore run `trackme keys restore`.")
  }
}

extension KeyChecks {
  /// The comparison as the first component of a process. With `blocking` later components start
  /// only after the databases have responded; otherwise the process also starts while a database is
  /// unavailable, and ends with the error if that database later responds with other names.
  package func component(_ process: ServiceProcess, blocking: Bool) -> LifecycleComponent {
    let (loop, log, lifecycle) = (process.loops[0], process.log, process.lifecycle)
    return LifecycleComponent(
      "key files",
      start: { () throws(StartError) in
        for attempt in 1...Self.triesMax {
          switch await attempted(log, attempt) {
          case .same: return
          case .foreign(let error): throw error
          case .unknown where !blocking: return follow(on: loop, log, lifecycle)
          case .unknown:
            do throws(CancellationError) { try await loop.wait(for: Self.pause) } catch {
              throw StartError("The comparison of the key files was interrupted.")
            }
          }
        }
        throw StartError("The key files can't be compared: a database does not answer.")
      })
  }

  /// The result of one comparison.
  private enum Attempt {
    case same, unknown
    case foreign(StartError)
  }

  /// Compares once more. Logs the first failure, and the success after failures, but not the
  /// failures between them, one a second.
  private func attempted(_ log: Log, _ number: Int) async -> Attempt {
    do throws(PostgresError) {
      let attempt = try await mismatch().map { Attempt.foreign($0) } ?? .same
      if number > 1 { log.info("key files compared", [.number("attempt", number)]) }
      return attempt
    } catch {
      if number == 1 {
        log.failure("compare key files failed", error, level: .warning)
      }
      return .unknown
    }
  }

  private func follow(on loop: EventLoop, _ log: Log, _ lifecycle: Lifecycle) {
    loop.begin {
      var number = 1
      while true {
        do throws(CancellationError) { try await loop.wait(for: Self.pause) } catch { return }
        number += 1
        switch await attempted(log, number) {
        case .same: return
        case .foreign(let error): return lifecycle.fail(error)
        case .unknown: continue
        }
      }
    }
  }
}

/// The name of the key to which the database's push subscriptions belong.
struct PushKeyName: Statement {
  typealias Row = String
  static let sql: SQL<Self> = "SELECT identifier FROM trackme.push_keys"
}

/// Stores the name of the key for push services, unless one exists.
struct AdoptPushKey: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO trackme.push_keys (identifier, adopted_at)
    VALUES (\(\.identifier), \(\.at))
        ON CONFLICT (is_only) DO NOTHING
    """
  let identifier: String
  let at: Instant
}

/// The names of the master keys in the database of account keys, without those that a rotation has
/// retired.
struct MasterKeyNames: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT identifier
      FROM master_keys
     WHERE retired_at IS NULL
     ORDER BY adopted_at, identifier
    """
}

/// Whether a rotation has retired a master key.
struct IsMasterKeyRetired: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT EXISTS (
             SELECT
               FROM master_keys
              WHERE identifier = \(\.identifier)
                AND retired_at IS NOT NULL)
    """
  let identifier: String
}

/// Stores names of master keys, unless they exist. They are adopted after all others, also if a
/// clock was ahead before: a rotation moves to the key that was adopted last.
package struct AdoptMasterKeys: Statement {
  /// One row per name.
  package static let sql: SQL<Self> = """
    INSERT INTO master_keys (identifier, adopted_at)
    SELECT named.identifier,
           greatest(
             \(\.at), (SELECT max(adopted_at) + interval '1 microsecond' FROM master_keys))
      FROM unnest(\(\.identifiers)) AS named (identifier)
        ON CONFLICT (identifier) DO NOTHING
    """
  let identifiers: [String]
  let at: Instant

  /// Stores these names.
  package init(identifiers: [String], at: Instant) {
    self.identifiers = identifiers
    self.at = at
  }
}

/// Whether an account key is wrapped under a master key other than these: the name is in the second
/// to the ninth byte (`KeyWrapper`). Scans all account keys if none is.
package struct IsWrappedUnderOthers: Statement {
  /// Whether there is one.
  package typealias Row = Bool
  /// Scans the table.
  package static let sql: SQL<Self> = """
    SELECT EXISTS (
             SELECT
               FROM account_keys
              WHERE encode(substring(wrapped_key FROM 2 FOR 8), 'hex') <> ALL (\(\.identifiers)))
    """
  let identifiers: [String]

  /// Searches for other names than these.
  package init(identifiers: [String]) { self.identifiers = identifiers }
}

extension KeyChecks {
  /// The statements for the data's database, for comparing them with the schema.
  package static let statements: [any Statement.Type] = [
    RootSecretNames.self, AdoptRootSecret.self, ReportRootReader.self, RemoveRootReader.self,
  ]
  /// The statements of Data4Help for the data's database.
  package static let data4helpStatements: [any Statement.Type] = [
    PushKeyName.self, AdoptPushKey.self, HasAccounts.self, ReplaceRootSecret.self,
    EndRootRewriting.self, LaggingRootReaders.self, TransactionNumber.self,
    HaveTransactionsEnded.self,
  ]
  /// The statements for the database of account keys.
  package static let keysStatements: [any Statement.Type] = [
    MasterKeyNames.self, IsMasterKeyRetired.self, AdoptMasterKeys.self, IsWrappedUnderOthers.self,
    InstallationOfKeys.self, AdoptKeysDatabase.self, HasAccountKeys.self,
    RenameKeysInstallation.self,
  ]
}
