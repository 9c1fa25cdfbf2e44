import CLinux
import EventLoop

/// The file operations for state and secrets; each completes or throws. They block briefly, so use
/// them at start, at stop and in operator commands, not on a serving loop.
package enum FileSystem {
  /// Reads a whole regular file. Neither a pipe nor a device in its place is waited for.
  ///
  /// - Throws: `SystemError` of `open` or `read`; `EFBIG` when it has more than `bytesMax` bytes,
  ///   `EISDIR` for a directory, `EINVAL` for another file that is not regular.
  package static func read(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    let descriptor = try open(path, O_RDONLY | O_NONBLOCK)
    defer { close(descriptor) }
    try refuseIrregular(descriptor, path)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe CLinux.read(descriptor, &chunk, chunk.count)
      if count == -1, linux_errno() == EINTR { continue }
      if count == -1 { throw .last("read") }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > bytesMax { throw SystemError(call: "read", code: EFBIG) }
    }
  }

  private static func refuseIrregular(
    _ descriptor: Int32, _ path: String
  ) throws(SystemError) {
    var status = stat()
    // SAFETY: `status` outlives the call, which fills it.
    try SystemError.check("fstat", unsafe fstat(descriptor, &status))
    switch Int32(bitPattern: status.st_mode) & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw SystemError(call: "read", code: EISDIR)
    default: throw SystemError(call: "read \(path), which is no regular file", code: EINVAL)
    }
  }

  /// Replaces the file at `path` atomically; the bytes are on disk before the new file is visible.
  ///
  /// - Throws: `SystemError`, with the old file unchanged.
  package static func writeAtomically(
    _ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600, owner: FileOwner? = nil
  ) throws(SystemError) {
    let temporary = "\(path).new.\(getpid())"
    do throws(SystemError) {
      try write(bytes, toNew: temporary, mode: mode, owner: owner)
      // SAFETY: both texts are passed as C strings for the call.
      try SystemError.check("rename", unsafe rename(temporary, path))
    } catch {
      // SAFETY: the text is passed as a C string for the call.
      unsafe _ = unlink(temporary)
      throw error
    }
    try syncDirectory(of: path)
  }

  /// Synchronises the directory that holds `path`, so that the name survives a crash.
  static func syncDirectory(of path: String) throws(SystemError) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = try open(directory, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try SystemError.check("fsync", fsync(descriptor))
  }

  /// Appends all of `bytes` to the file of an open descriptor.
  ///
  /// - Throws: `SystemError`; part of the bytes may be written.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is valid for the call, with its own size.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe CLinux.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count == -1, linux_errno() == EINTR { continue }
      if count == -1 { throw .last("write") }
      rest = rest.dropFirst(count)
    }
  }

  /// Creates the directory and its missing parents; only their owner can access new directories.
  ///
  /// - Throws: `SystemError`, also when a file of a different type has the name.
  package static func makeDirectories(
    _ path: String, mode: UInt32 = 0o700
  ) throws(SystemError) {
    var end = path.startIndex
    while end != path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let prefix = String(path[..<end])
      // SAFETY: the text is passed as a C string for the call.
      if unsafe mkdir(prefix, mode) == -1, linux_errno() != EEXIST { throw .last("mkdir") }
    }
    close(try open(path, O_RDONLY | O_DIRECTORY))
  }

  /// Whether a file of any type exists at this path.
  package static func exists(_ path: String) -> Bool {
    // SAFETY: the text is passed as a C string for the call.
    unsafe access(path, F_OK) == 0
  }

  /// The absolute path of a file without symbolic links.
  ///
  /// - Throws: `SystemError` of `realpath`, for a missing file too.
  package static func resolved(_ path: String) throws(SystemError) -> String {
    // SAFETY: both texts are C strings; the second one is copied, and then released once.
    guard let found = unsafe realpath(path, nil) else { throw .last("realpath") }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }

  /// The permission bits of a file, such as `0o600`.
  ///
  /// - Throws: `SystemError` of `stat`.
  package static func permissions(of path: String) throws(SystemError) -> UInt32 {
    // SAFETY: the text is passed as a C string for the call.
    UInt32(try SystemError.check("stat", unsafe linux_permissions(path)))
  }

  /// The user and group that own a file.
  ///
  /// - Throws: `SystemError` of `stat`.
  package static func owner(of path: String) throws(SystemError) -> FileOwner {
    var (user, group) = (UInt32(0), UInt32(0))
    // SAFETY: the text is passed as a C string for the call, which writes both numbers.
    try SystemError.check("stat", unsafe linux_owner(path, &user, &group))
    return FileOwner(user: user, group: group)
  }

  /// Removes a file; a missing one is not an error.
  package static func remove(_ path: String) throws(SystemError) {
    // SAFETY: the text is passed as a C string for the call.
    if unsafe unlink(path) == -1, linux_errno() != ENOENT { throw .last("unlink") }
  }

  private static func write(
    _ bytes: [UInt8], toNew path: String, mode: UInt32, owner: FileOwner?
  ) throws(SystemError) {
    // A killed process with the same process identifier may have left this file.
    try remove(path)
    let descriptor = try open(path, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    defer { close(descriptor) }
    if let owner {
      try SystemError.check("fchown", fchown(descriptor, owner.user, owner.group))
    }
    try write(bytes, to: descriptor)
    try SystemError.check("fsync", fsync(descriptor))
  }

  private static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Int32 {
    // SAFETY: the text is passed as a C string for the call.
    try SystemError.check("open", unsafe linux_open(path, flags | O_CLOEXEC, mode))
  }
}

/// The user and group that own a file.
package struct FileOwner: Sendable, Equatable {
  /// The user identifier.
  package let user: UInt32
  /// The group identifier.
  package let group: UInt32

  /// The owner with these identifiers.
  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}

extension SystemError {
  /// Whether the code is `ENOENT`.
  package var isNoSuchFile: Bool { code == ENOENT }

  /// Whether the path names no file: it does not exist or is a directory.
  package var isMissingFile: Bool { [ENOENT, ENOTDIR, EISDIR].contains(code) }
}
