import EventLoop

/// The directory of one installation: database, keys, mail, logs.
package struct StateDirectory: Sendable {
  /// The path as configured.
  package let path: String

  /// Names the directory at `path` without creating it.
  package init(path: String) {
    self.path = path
  }

  /// The path of a file inside, such as `keys/master.key`.
  package func file(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Creates the directory and a subdirectory, readable only by their owner.
  package func makeDirectory(_ name: String) throws(SystemError) {
    try FileSystem.makeDirectories(path)
    try FileSystem.makeDirectories(file(name))
  }
}

/// A small file with one secret, readable only by its owner.
package struct SecretFile: Sendable {
  /// The path of the file.
  package let path: String

  /// Maximum size of a secret, in bytes.
  package static let bytesMax = 16_384

  /// Names the file at `path` without reading it.
  package init(path: String) {
    self.path = path
  }

  /// Reads the secret.
  ///
  /// - Throws: `SystemError` of `open` or `read`; `EFBIG` for more than 16 KiB.
  package func read() throws(SystemError) -> [UInt8] {
    try FileSystem.read(path, bytesMax: Self.bytesMax)
  }

  /// Whether only its owner can read, change or execute it.
  ///
  /// - Throws: `SystemError` of `stat`.
  package func isPrivate() throws(SystemError) -> Bool {
    try FileSystem.permissions(of: path) & 0o077 == 0
  }

  /// Reads the secret; creates the file with the bytes of `fresh` if it does not exist.
  ///
  /// - Throws: `SystemError` when it can be neither read nor created.
  package func readOrMake(_ fresh: () -> [UInt8]) throws(SystemError) -> [UInt8] {
    if !FileSystem.exists(path) { try FileSystem.writeAtomically(path, fresh()) }
    return try read()
  }
}
