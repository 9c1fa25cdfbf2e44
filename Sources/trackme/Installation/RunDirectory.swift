import CLinux
import EventLoop
import Operations

/// The private directory of sockets. Its path is short, because a socket's has at most 107 bytes.
///
/// Root's lies in `/run`, where nobody else can make anything; other users' where
/// `XDG_RUNTIME_DIR` says, or else in `/tmp`, where somebody else may have made the name before:
/// hence it must be a directory, no link, and ours alone.
package struct RunDirectory: Sendable, Equatable {
  /// Its path.
  package let path: String

  /// The directory at `path`; nothing is made yet.
  package init(path: String) {
    self.path = path
  }

  /// The sockets of the services.
  package var services: String { "\(path)/services" }
  /// The socket of the database.
  package var database: String { "\(path)/postgres" }

  static var isRoot: Bool { geteuid() == 0 }

  /// The directory that belongs to this state directory, always the same one.
  package static func choose(forState state: String, environment: [String: String]) -> RunDirectory
  {
    let name = "trackme-\(shortDigest(of: state))"
    if isRoot { return RunDirectory(path: "/run/\(name)") }
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      runtime.utf8.count <= 40, isOurs(runtime, modes: [0o700])
    {
      return RunDirectory(path: "\(runtime)/\(name)")
    }
    return RunDirectory(path: "/tmp/\(name)")
  }

  /// Makes the directories; `databaseOwner` is who runs the database, if somebody else.
  ///
  /// - Throws: `StartError` when the name is taken by something that is not ours.
  package func prepare(databaseOwner: FileOwner?) throws(StartError) {
    try make(path, mode: databaseOwner == nil ? 0o700 : 0o711, owner: nil)
    try make(services, mode: 0o700, owner: nil)
    try make(database, mode: 0o700, owner: databaseOwner)
  }

  /// Removes these sockets, which nobody listens on any more, and the directories, if they are
  /// empty then: what somebody still uses stays.
  func remove(sockets: [String]) {
    // SAFETY: the texts are passed as C strings for the calls; what is missing is no harm.
    for socket in sockets { unsafe _ = unlink(socket) }
    for directory in [services, database, path] { unsafe _ = rmdir(directory) }
  }

  private func make(_ path: String, mode: UInt32, owner: FileOwner?) throws(StartError) {
    // SAFETY: the text is passed as a C string for the calls. `lchown` follows no link, and inside
    // our own directory nobody else can put one.
    if unsafe mkdir(path, mode) == 0, let owner {
      unsafe _ = lchown(path, owner.user, owner.group)
    }
    guard Self.isOurs(path, modes: [0o700, 0o711], owner: owner?.user ?? geteuid()) else {
      throw StartError("\(path) belongs to somebody else: remove it, or use another TRACKME_STATE.")
    }
  }

  /// Whether this is a directory (no link to one) that `owner` alone can change.
  static func isOurs(_ path: String, modes: [UInt32], owner: UInt32 = geteuid()) -> Bool {
    var status = stat()
    // SAFETY: the text is passed as a C string, `status` outlives the call.
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & UInt32(S_IFMT) == UInt32(S_IFDIR) && status.st_uid == owner
      && modes.contains(status.st_mode & 0o777)
  }

  /// Twelve digits that tell state directories apart: a name, not a protection.
  static func shortDigest(of text: String) -> String {
    let digits = String(FNV1a.hash(text), radix: 16)
    return String((String(repeating: "0", count: 16 - digits.count) + digits).suffix(12))
  }
}
