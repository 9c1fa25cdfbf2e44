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

  /// The URL by which a role connects to a database. For an external server this is the configured
  /// one if it is the role's own; otherwise the role's name and password replace the owner's.
  ///
  /// - Throws: `StartError` if the password cannot be read.
  package func url(_ role: DatabaseRole, _ database: DatabaseName) throws(StartError) -> Secret {
    if let given = given[database], Self.user(in: given.revealed) == role.rawValue { return given }
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
    guard let authority = authority(of: url) else { return url }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    return url[..<authority.startIndex] + user + "@" + (host ?? authority)
      + url[authority.endIndex...]
  }

  /// The user in `postgresql://user:password@host/…`, nil without one.
  package static func user(in url: String) -> String? {
    guard let authority = authority(of: url), let end = authority.lastIndex(of: "@") else {
      return nil
    }
    return String(authority[..<end].prefix { $0 != ":" })
  }

  private static func authority(of url: String) -> Substring? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    return url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
  }
}
