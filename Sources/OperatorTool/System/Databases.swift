import EventLoop
import Installation
import Operations

/// The two databases of an installation, embedded or external, as the supervisor prepares them.
struct Databases: Sendable {
  /// The embedded cluster; nil if both URLs are configured.
  let cluster: Cluster?
  let urls: DatabaseURLs
  private let passwords: DatabasePasswords

  init(_ installation: Installation) throws(StartError) {
    urls = try DatabaseURLs(installation)
    passwords = DatabasePasswords(installation)
    cluster = urls.areEmbedded ? try Cluster(installation) : nil
  }

  /// Whether data sealed under the keys exists. May block on an external server.
  func holdData(_ migrations: Migrations) throws(StartError) -> Bool {
    if let cluster { return cluster.directory.exists }
    return try !migrations.areFirst()
  }

  /// Writes the URL to a file for the process that connects.
  ///
  /// - Returns: the file's path.
  func urlFile(_ role: DatabaseRole, _ database: DatabaseName) throws(StartError) -> String {
    let path = "\(passwords.directory)/\(role.rawValue).\(database.rawValue).url"
    let url = try urls.url(role, database)
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
}
