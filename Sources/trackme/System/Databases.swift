import EventLoop
import Operations

/// The two databases of an installation, embedded or external, and the access to them.
package struct Databases: Sendable {
  /// The embedded cluster; nil if both URLs are configured.
  let cluster: Cluster?
  private let given: [DatabaseName: Secret]
  private let passwords: DatabasePasswords
  private let directory: String

  init(_ installation: Installation) throws(StartError) {
    let main = try installation.optional(SettingTable.databaseURL)
    let keys = try installation.optional(SettingTable.keysDatabaseURL)
    guard (main == nil) == (keys == nil) else {
      throw StartError(
        "TRACKME_DATABASE_URL and TRACKME_KEYS_DATABASE_URL belong together: set both or neither.")
    }
    given = [DatabaseName.trackme: main, .keys: keys].compactMapValues { $0 }
    directory = installation.state.file("keys/database")
    passwords = DatabasePasswords(directory: directory)
    cluster = given.isEmpty ? try Cluster(installation) : nil
  }

  /// Whether data sealed under the keys exists. May block on an external server.
  func holdData(_ migrations: Migrations) throws(StartError) -> Bool {
    if let cluster { return cluster.place.exists }
    return try !migrations.areFirst()
  }

  /// The URL for migrations: that of the embedded owner, or the configured one.
  func migrationURL(_ database: DatabaseName) throws(StartError) -> Secret {
    if let cluster { return try cluster.url(.owner, database) }
    return given[database] ?? Secret("")
  }

  /// The URL by which a service's role connects to a database. For an external server the role's
  /// name and password replace the owner's.
  func url(_ role: DatabaseRole, _ database: DatabaseName) throws(StartError) -> Secret {
    if let cluster { return try cluster.url(role, database) }
    guard let given = given[database] else { return Secret("") }
    let password = try passwords.password(of: role).text
    return Secret(Self.replacingUser(in: given.revealed, by: "\(role.rawValue):\(password)"))
  }

  /// Writes the URL to a file for the process that connects.
  ///
  /// - Returns: the file's path.
  func urlFile(_ role: DatabaseRole, _ database: DatabaseName) throws(StartError) -> String {
    let path = "\(directory)/\(role.rawValue).\(database.rawValue).url"
    let url = try url(role, database)
    do throws(SystemError) {
      try FileSystem.writeAtomically(path, Array("\(url.revealed)\n".utf8))
    } catch {
      throw StartError("\(path) cannot be written", error)
    }
    return path
  }

  /// The psql script that a superuser of an external server runs once: creates the roles with this
  /// installation's passwords, the two databases, and PostGIS in the first.
  func superuserScript() throws(StartError) -> String {
    _ = try passwords.prepare()
    var lines = ["-- Run once as a superuser on TrackMe's database server; contains passwords."]
    for role in DatabaseRole.allCases where role != .postgres {
      let password = try passwords.password(of: role).text
      lines.append("CREATE ROLE \(role.rawValue) LOGIN PASSWORD '\(password)';")
    }
    for database in DatabaseName.allCases {
      lines.append("CREATE DATABASE \(database.rawValue) OWNER \(DatabaseRole.owner.rawValue);")
    }
    lines += [
      "\\connect \(DatabaseName.trackme.rawValue)",
      "CREATE SCHEMA postgis AUTHORIZATION \(DatabaseRole.owner.rawValue);",
      "CREATE EXTENSION postgis SCHEMA postgis;",
    ]
    return lines.joined(separator: "\n")
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
