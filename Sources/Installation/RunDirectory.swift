import CLinux
import Operations

/// The private directory of the sockets. Its path is short, because a socket path has at most 107
/// bytes.
///
/// Root's directory is in `/run`, where other users cannot create files. For other users it is in
/// `XDG_RUNTIME_DIR`, or else in `/tmp`, where another user may already have created the name.
/// Therefore it must be a real directory, no link, and accessible by its owner only.
package struct RunDirectory: Sendable, Equatable {
  /// Its path.
  package let path: String

  /// The directory at `path`; creates nothing.
  package init(path: String) {
    self.path = path
  }

  /// The directory of the services' sockets.
  package var services: String { "\(path)/services" }
  /// The directory of the database's socket.
  package var database: String { "\(path)/postgres" }

  /// Whether this process runs as root.
  package static var isRoot: Bool { geteuid() == 0 }

  /// The environment variable that chooses the directory: every program that connects to a socket
  /// inside needs the same value.
  package static let variable = "XDG_RUNTIME_DIR"

  /// The directory for this state directory, always the same one.
  package static func choose(forState state: String, environment: [String: String]) -> RunDirectory
  {
    let name = "trackme-\(shortDigest(of: state))"
    if isRoot { return RunDirectory(path: "/run/\(name)") }
    if let runtime = environment[variable], runtime.hasPrefix("/"),
      runtime.utf8.count <= 40, isOurs(runtime, modes: [0o700])
    {
      return RunDirectory(path: "\(runtime)/\(name)")
    }
    return RunDirectory(path: "/tmp/\(name)")
  }

  /// Creates the directories; `databaseOwner` is the user who runs the database, if different.
  ///
  /// - Throws: `StartError` if the name exists and does not belong to this user.
  package func prepare(databaseOwner: FileOwner?) throws(StartError) {
    try make(path, mode: databaseOwner == nil ? 0o700 : 0o711, owner: nil)
    try make(services, mode: 0o700, owner: nil)
    try make(database, mode: 0o700, owner: databaseOwner)
  }

  /// Removes these unused sockets, and the directories if they are then empty: sockets in use stay.
  package func remove(sockets: [String]) {
    // SAFETY: the texts are passed as C strings for the calls; a missing file is not an error.
    for socket in sockets { unsafe _ = unlink(socket) }
    for directory in [services, database, path] { unsafe _ = rmdir(directory) }
  }

  private func make(_ path: String, mode: UInt32, owner: FileOwner?) throws(StartError) {
    // SAFETY: the text is passed as a C string for the call. `lchown` follows no link, and other
    // users cannot create one inside the private directory.
    if unsafe mkdir(path, mode) == 0, let owner {
      unsafe _ = lchown(path, owner.user, owner.group)
    }
    guard Self.isOurs(path, modes: [0o700, 0o711], owner: owner?.user ?? geteuid()) else {
      throw StartError("\(path) belongs to another user: remove it, or use another TRACKME_STATE.")
    }
  }

  /// Whether the path is a directory (no link to one) that only `owner` can change.
  package static func isOurs(_ path: String, modes: [UInt32], owner: UInt32 = geteuid()) -> Bool {
    var status = stat()
    // SAFETY: the text is passed as a C string, `status` outlives the call.
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & UInt32(S_IFMT) == UInt32(S_IFDIR) && status.st_uid == owner
      && modes.contains(status.st_mode & 0o777)
  }

  /// Twelve digits that distinguish state directories; a name, not a security measure.
  package static func shortDigest(of text: String) -> String {
    let digits = String(FNV1a.hash(text), radix: 16)
    return String((String(repeating: "0", count: 16 - digits.count) + digits).suffix(12))
  }
}
