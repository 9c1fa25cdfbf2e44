import Foundation
import Operations

/// The programs of a PostgreSQL installed by Debian.
struct PostgresPrograms: Sendable {
  let directory: String

  static let missing =
    "PostgreSQL is missing: apt-get install postgresql-15 postgresql-15-postgis-3"

  /// Selects the version that created the cluster in `data`, otherwise the newest one, at least 15.
  static func find(data: String) throws(StartError) -> PostgresPrograms {
    let root = "/usr/lib/postgresql"
    var versions: [Int] = []
    do {
      versions = try FileManager.default.contentsOfDirectory(atPath: root).compactMap { Int($0) }
    } catch {
      throw StartError(missing)
    }
    if let used = version(of: data) {
      guard versions.contains(used) else {
        throw StartError("The database was created by PostgreSQL \(used), which is not installed.")
      }
      return PostgresPrograms(directory: "\(root)/\(used)/bin")
    }
    guard let newest = versions.filter({ $0 >= 15 }).max() else { throw StartError(missing) }
    return PostgresPrograms(directory: "\(root)/\(newest)/bin")
  }

  func program(_ name: String) -> String { "\(directory)/\(name)" }

  private static func version(of data: String) -> Int? {
    guard let bytes = FileManager.default.contents(atPath: "\(data)/PG_VERSION") else {
      return nil
    }
    return Int(
      String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
