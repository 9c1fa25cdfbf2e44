import Cryptography
import Operations
import Postgres
import Time

/// Compares the root secret's file with the data's database, which names the secret in use and,
/// during a rotation, the former one.
struct RootSecretCheck: Sendable {
  /// The path of the file.
  let path: String
  let database: Database

  /// The error for the operator if a file with these secrets does not belong to the database; nil
  /// if it does. The first process on a database without a name writes that of its file.
  ///
  /// - Throws: `PostgresError` while the database is unavailable.
  func mismatch(of ring: RootKeyRing, at now: Instant) async throws(PostgresError) -> StartError? {
    let names = ring.identifiers.map(\.description)
    if try await database.readOne(RootSecretNames()) == nil {
      try await database.write(AdoptRootSecret(identifier: names[0], at: now))
    }
    guard let stored = try await database.readOne(RootSecretNames()) else {
      throw .unexpectedResult("the root secret's name is not there after it was stored")
    }
    let kept = ring.keptIdentifiers.map(\.description)
    for needed in [stored.identifier, stored.former].compactMap(\.self)
    where !names.contains(needed) {
      guard kept.contains(needed) else { return foreign(names[0], needed) }
      return StartError(
        "The database is from before the root secret \(needed) was replaced, and the key file "
          + "\(path) no longer holds that one. Run `trackme keys restore`.")
    }
    guard names[0] != stored.identifier, names[0] != stored.former else { return nil }
    guard !kept.contains(names[0]) else {
      return StartError(
        "The key file \(path) begins with the root secret \(names[0]), which a rotation has "
          + "replaced. Copy the file of the machine on which `trackme keys rotate root` ran.")
    }
    // A rotation moves its new secret to the front before the database names it; the former one
    // has left its keys by then.
    return kept.contains(stored.identifier) ? nil : foreign(names[0], stored.identifier)
  }

  private func foreign(_ own: String, _ stored: String) -> StartError {
    StartError(
      "The key file \(path) belongs to another installation: it holds the root secret "
        + "\(own), and the database was created with \(stored). Put its own file back.")
  }
}
