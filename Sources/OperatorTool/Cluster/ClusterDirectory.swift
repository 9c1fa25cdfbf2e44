import CLinux
import EventLoop
import Installation
import Operations

/// The location of the embedded database and its system user: PostgreSQL refuses to run as root.
struct ClusterDirectory: Sendable {
  /// The directory that holds the data directory.
  let path: String
  /// The user who runs the server; nil for the user of this process.
  let owner: FileOwner?
  /// A notice for the operator about an unexpected location.
  let notice: String?

  var data: String { "\(path)/data" }
  var exists: Bool { FileSystem.exists("\(data)/PG_VERSION") }

  /// Chooses the location for this installation. For root the data is under the state directory if
  /// the user `postgres` can reach it, otherwise under `/var/lib/trackme`.
  static func choose(_ installation: Installation) throws(StartError) -> ClusterDirectory {
    let inside = installation.state.file("postgres")
    guard RunDirectory.isRoot else {
      return ClusterDirectory(path: inside, owner: nil, notice: nil)
    }
    guard let owner = user(named: "postgres") else {
      throw StartError(PostgresPrograms.missing)
    }
    if canReach(installation.state.path, owner) {
      return ClusterDirectory(path: inside, owner: owner, notice: nil)
    }
    let outside = "/var/lib/trackme/\(RunDirectory.shortDigest(of: installation.state.path))"
    let notice =
      "The user postgres cannot reach \(installation.state.path): the database lies in \(outside)."
    return ClusterDirectory(path: outside, owner: owner, notice: notice)
  }

  /// Creates the directory, accessible by its owner only.
  func prepare() throws(StartError) {
    do throws(SystemError) {
      if let parent = path.lastIndex(of: "/") {
        try FileSystem.makeDirectories(String(path[..<parent]), mode: 0o711)
      }
      // SAFETY: the text is passed as a C string for the calls.
      if unsafe mkdir(path, 0o700) == 0, let owner {
        try SystemError.check("chown", unsafe lchown(path, owner.user, owner.group))
      }
    } catch {
      throw StartError("The database's directory \(path) cannot be created", error)
    }
    guard RunDirectory.isOurs(path, modes: [0o700], owner: owner?.user ?? geteuid()) else {
      throw StartError("\(path) does not belong to the user of the database alone.")
    }
  }

  private static func canReach(_ path: String, _ owner: FileOwner) -> Bool {
    let order = ProgramOrder(
      executable: "/usr/bin/test", arguments: ["-x", path], directory: "/", owner: owner)
    do throws(SystemError) {
      return try Tool.run(order).status.isSuccess
    } catch {
      return false
    }
  }

  private static func user(named name: String) -> FileOwner? {
    // SAFETY: called from one thread at a start; the record is copied before any other call.
    guard let record = unsafe getpwnam(name) else { return nil }
    return FileOwner(user: unsafe record.pointee.pw_uid, group: unsafe record.pointee.pw_gid)
  }
}
