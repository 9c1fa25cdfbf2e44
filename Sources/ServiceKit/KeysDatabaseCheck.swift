import Cryptography
import Operations
import Postgres
import Time

/// Compares the keys' database with the installation.
///
/// It holds the name of the installation's root secret, as the data does. With the keys' database
/// of another installation, or an empty one, no sealed value of the data opens, and no account is
/// deleted again after a restore.
struct KeysDatabaseCheck: Sendable {
  /// The root secrets of the file; during a rotation the database can name the former one.
  let root: RootKeyRing
  /// The file of the root secret.
  let path: String
  let keys: Database
  /// Nil for a command that uses the keys' database alone.
  let data: Database?

  private var name: String { root.identifiers[0].description }

  /// The error for the operator if the keys' database belongs to another installation, or if it is
  /// empty although the data has accounts; nil otherwise. Stores nothing.
  ///
  /// - Throws: `PostgresError` while a database is unavailable.
  func mismatch() async throws(PostgresError) -> StartError? {
    if let stored = try await keys.readOne(InstallationOfKeys()) {
      guard !root.identifiers.contains(where: { $0.description == stored }) else { return nil }
      if root.keptIdentifiers.contains(where: { $0.description == stored }) {
        return StartError(
          "The keys' database is from before the root secret \(stored) was replaced. Run "
            + "`trackme keys restore`.")
      }
      return StartError(
        "The keys' database belongs to another installation: it was created with the root secret "
          + "\(stored), and the key file \(path) holds \(name). Connect this installation's own.")
    }
    let isEmpty = try await keys.readOne(HasAccountKeys()) != true
    guard isEmpty, try await data?.readOne(HasAccounts()) == true else { return nil }
    return StartError(
      "The keys' database is empty, but the data has accounts, which cannot be read without their "
        + "keys. Connect this installation's own, or restore it.")
  }

  /// Stores the name of the installation in a keys' database without one.
  ///
  /// - Throws: `PostgresError` while the database is unavailable.
  func adopt(at now: Instant) async throws(PostgresError) {
    if try await keys.readOne(InstallationOfKeys()) == nil {
      try await keys.write(AdoptKeysDatabase(root: name, at: now))
    }
  }
}

/// The name of the root secret of the installation to which a keys' database belongs.
struct InstallationOfKeys: Statement {
  typealias Row = String
  static let sql: SQL<Self> = "SELECT root_secret FROM installations"
}

/// Stores the installation of a keys' database, unless one is stored.
struct AdoptKeysDatabase: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO installations (root_secret, adopted_at)
    VALUES (\(\.root), \(\.at))
        ON CONFLICT (is_only) DO NOTHING
    """
  let root: String
  let at: Instant
}

/// Whether a keys' database holds the key of any account.
struct HasAccountKeys: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = "SELECT EXISTS (SELECT FROM account_keys)"
}

/// Whether the data has any account.
struct HasAccounts: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = "SELECT EXISTS (SELECT FROM data4help.accounts)"
}
