/// The newest migrations that this version of the programs knows. Each process tells its number to
/// the server in the name of its sessions, so that a migration that it can't work with is refused
/// while it runs.
package enum KnownMigrations {
  /// The number of the last file in `sql`.
  package static let data = 20
  /// The number of the last file in `sql/keys`.
  package static let keys = 4

  /// The longest `application_name`, in bytes (PostgreSQL's NAMEDATALEN - 1).
  private static let nameBytesMax = 63

  /// The name of the sessions of a process: `data4help-1 0016`.
  package static func sessionName(of process: String, knowing number: Int) -> String {
    let digits = String(number)
    let suffix = " " + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return String(process.prefix(nameBytesMax - suffix.utf8.count)) + suffix
  }

  /// Process and number in the name of a session; 0 for a version that tells none.
  static func parse(_ sessionName: String) -> (process: String, number: Int) {
    guard let space = sessionName.lastIndex(of: " "),
      let number = Int(sessionName[sessionName.index(after: space)...])
    else { return (sessionName, 0) }
    return (String(sessionName[..<space]), number)
  }
}
