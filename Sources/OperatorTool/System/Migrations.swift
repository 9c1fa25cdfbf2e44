import Foundation
import Installation
import Operations
import Postgres

/// Applies this program's migrations to both databases. Blocks.
struct Migrations: Sendable {
  let databases: Databases
  /// The directory `sql`.
  let directory: String

  init(_ databases: Databases, programs: String) throws(StartError) {
    self.databases = databases
    directory = try Self.find(from: programs)
  }

  /// Whether no migration was ever applied to the data's database: then none of its keys can be
  /// missing.
  func areFirst() throws(StartError) -> Bool {
    let url = try databases.urls.migrationURL(.trackme)
    do throws(MigrationError) {
      return try Migrator(directory: directory, url: url.revealed).isFirst()
    } catch {
      throw StartError(error.description)
    }
  }

  /// Refuses to start programs of this version on a schema that lacks something for them.
  func refuseMissing() throws(StartError) {
    for (database, directory) in all {
      let url = try databases.urls.migrationURL(database)
      let names: [String]
      do throws(MigrationError) {
        names = try Migrator(directory: directory, url: url.revealed).missing()
      } catch {
        throw StartError(error.description)
      }
      guard names.isEmpty else {
        throw StartError(
          "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") not applied: run "
            + "`trackme migrate` first.")
      }
    }
  }

  private var all: [(database: DatabaseName, directory: String)] {
    [(.trackme, directory), (.keys, "\(directory)/keys")]
  }

  /// - Returns: the names of the migrations that were applied.
  func run() throws(StartError) -> [String] {
    if databases.urls.areEmbedded { try makeExtensions() }
    var applied: [String] = []
    for (database, directory) in all {
      let url = try databases.urls.migrationURL(database)
      do throws(MigrationError) {
        let names = try Migrator(directory: directory, url: url.revealed).run()
        applied += names.map { "\(database.rawValue): \($0)" }
      } catch {
        throw StartError(error.description)
      }
    }
    return applied
  }

  /// Creates the extensions in the embedded database, which requires its superuser. An external
  /// server has run `Databases.superuserScript` instead.
  private func makeExtensions() throws(StartError) {
    let url = try databases.urls.url(.postgres, .trackme).revealed
    do throws(AdminSessionError) {
      try AdminSession(url: url, applicationName: "trackme migrate").run(
        """
        CREATE SCHEMA IF NOT EXISTS postgis AUTHORIZATION trackme_owner;
        CREATE EXTENSION IF NOT EXISTS postgis SCHEMA postgis;
        """)
    } catch {
      throw StartError("PostGIS cannot be created in the database: \(error.description)")
    }
  }

  /// Finds `sql` in the source tree if the program was built there, otherwise in `share/trackme`
  /// next to the `bin` directory of the installation.
  private static func find(from programs: String) throws(StartError) -> String {
    var directory = URL(filePath: programs)
    while directory.path != "/" {
      for name in ["sql", "share/trackme/sql"] {
        let candidate = directory.appending(path: name).path
        if FileSystem.exists("\(candidate)/keys") { return candidate }
      }
      directory.deleteLastPathComponent()
    }
    throw StartError("The migrations (directory sql) are not found.")
  }
}
