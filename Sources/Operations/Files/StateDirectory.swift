import EventLoop

/// The directory of one copy of the product: database, keys, mail, logs.
package struct StateDirectory: Sendable {
  /// Its path, as given.
  package let path: String

  /// The directory at `path`; nothing is made yet.
  package init(path: String) {
    self.path = path
  }

  /// The path of something inside, as `keys/master.key`.
  package func file(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Makes the directory and a subdirectory of it, readable by their owner alone.
  package func makeDirectory(_ name: String) throws(SystemError) {
    try FileSystem.makeDirectories(path)
    try FileSystem.makeDirectories(file(name))
  }
}

/// A small file with one secret, readable by its owner alone.
package struct SecretFile: Sendable {
  /// Where it is.
  package let path: String

  /// The most bytes a secret has.
  package static let bytesMax = 16_384

  /// The file at `path`; nothing is read yet.
  package init(path: String) {
    self.path = path
  }

  /// Its bytes.
  ///
  /// - Throws: `SystemError` of `open` or `read`; `EFBIG` for more than 16 KiB.
  package func read() throws(SystemError) -> [UInt8] {
    try FileSystem.read(path, bytesMax: Self.bytesMax)
  }

  /// Whether nobody but its owner can read, change or run it.
  ///
  /// - Throws: `SystemError` of `stat`.
  package func isPrivate() throws(SystemError) -> Bool {
    try FileSystem.permissions(of: path) & 0o077 == 0
  }

  /// Its bytes, after making it from `fresh` when there is none.
  ///
  /// - Throws: `SystemError` when it can be neither read nor made.
  package func readOrMake(_ fresh: () -> [UInt8]) throws(SystemError) -> [UInt8] {
    if !FileSystem.exists(path) { try FileSystem.writeAtomically(path, fresh()) }
    return try read()
  }
}
