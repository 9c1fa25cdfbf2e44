import Operations

/// The URLs of an installation's two databases, embedded or external.
package struct DatabaseURLs: Sendable {
  private let given: [DatabaseName: Secret]
  private let passwords: DatabasePasswords
  private let sockets: String

  /// The URLs by the settings.
  ///
  /// - Throws: `StartError` if only one of the two databases is configured.
  package init(_ installation: Installation) throws(StartError) {
    let main = try installation.optional(SettingTable.databaseURL)
    let keys = try installation.optional(SettingTable.keysDatabaseURL)
    guard (main == nil) == (keys == nil) else {
      throw StartError(
        "TRACKME_DATABASE_URL and TRACKME_KEYS_DATABASE_URL belong together: set both or neither.")
    }
    given = [DatabaseName.trackme: main, .keys: keys].compactMapValues { $0 }
    passwords = DatabasePasswords(installation)
    sockets = installation.runDirectory.database
  }

  /// Whether the databases are in the embedded cluster, because no URL is configured.
  package var areEmbedded: Bool { given.isEmpty }

  /// The URL for migrations: that of the embedded owner, or the configured one.
  ///
  /// - Throws: `StartError` if the password cannot be read.
  package func migrationURL(_ database: DatabaseName) throws(StartError) -> Secret {
    if areEmbedded { return try url(.owner, database) }
    return given[database] ?? Secret("")
  }

  /// The URL by which a role connects to a database. For an external server the role's name and
  /// password replace the owner's.
  ///
  /// - Throws: `StartError` if the password cannot be read.
  package func url(_ role: DatabaseRole, _ database: DatabaseName) throws(StartError) -> Secret {
    let password = try passwords.password(of: role).text
    if areEmbedded {
      return Secret(
        "postgresql://\(role.rawValue):\(password)@/\(database.rawValue)?host=\(sockets)")
    }
    guard let given = given[database] else { return Secret("") }
    return Secret(Self.replacingUser(in: given.revealed, by: "\(role.rawValue):\(password)"))
  }

  /// Replaces the user and password before the `@` in `postgresql://user:password@host/…`.
  package static func replacingUser(in url: String, by user: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    return url[..<scheme.upperBound] + user + "@" + (host ?? authority)
      + rest[authority.endIndex...]
  }
}
