import Foundation
import PostgresFixture

/// The statements that a role executes in a test's database, from its next connections on, as
/// logged by the server.
package struct StatementLog: Sendable {
  private let file: String
  private let database: String

  /// Makes the server log them.
  package init(of database: TestDatabase, role: String) throws {
    file = database.cluster.directory + "/log"
    self.database = database.name
    try database.run("ALTER ROLE \(role) IN DATABASE \(database.name) SET log_statement = 'all'")
  }

  /// The size of the log so far.
  package func length() throws -> Int { try Data(contentsOf: URL(filePath: file)).count }

  /// The first line of each statement logged after `start`, without LISTEN: each connection begins
  /// with it, and one that a busy machine opens late does so beside a later request.
  package func statements(from start: Int) throws -> [String] {
    let bytes = try Data(contentsOf: URL(filePath: file)).dropFirst(start)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      // The server begins each line with the database; tests of the same process share the log.
      guard line.hasPrefix("\(database) ") else { return nil }
      let statement = line.firstMatch(of: /LOG:  (?:execute [^:]*|statement): (.*)/)?.1
      return statement.flatMap { $0.hasPrefix("LISTEN ") ? nil : String($0) }
    }
  }
}
