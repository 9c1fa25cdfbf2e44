import CLinux
import EventLoop

/// An append-only file whose contents survive a crash. The process that opens it holds a lock; its
/// mode is 0600. All functions block.
package struct JournalFile: Sendable {
  /// Appends bytes to the file of an open descriptor.
  package typealias Writer =
    @Sendable (_ bytes: [UInt8], _ descriptor: Int32) throws(SystemError)
    -> Void

  private let path: String
  private let write: Writer
  private var descriptor: Int32
  /// Total size of the completed writes, in bytes.
  package private(set) var size: Int

  /// Opens the file and locks it until `close` or the end of the process; nil if another process
  /// holds the lock.
  ///
  /// - Throws: `SystemError`; `ENOENT` for a missing file unless `isMade` creates it.
  package init?(
    _ path: String, isMade: Bool, writer: @escaping Writer
  ) throws(SystemError) {
    let descriptor = try Self.open(path, isMade ? O_CREAT : 0)
    self.path = path
    self.descriptor = descriptor
    write = writer
    size = 0
    do throws(SystemError) {
      // Another process may have replaced the file between the two calls.
      guard linux_lock_file(descriptor) == 0, try Self.isThe(descriptor, at: path) else {
        CLinux.close(descriptor)
        return nil
      }
      // SAFETY: the structure is valid for the call, which fills it in.
      size = try unsafe Self.status("fstat") { unsafe fstat(descriptor, $0) }.st_size
      if isMade { try FileSystem.syncDirectory(of: path) }
    } catch {
      CLinux.close(descriptor)
      throw error
    }
  }

  /// Releases the lock and closes the file.
  package func close() {
    linux_unlock_file(descriptor)
    CLinux.close(descriptor)
  }

  /// The contents.
  ///
  /// - Throws: `SystemError`; `EFBIG` when it has more than `bytesMax` bytes.
  package func read(bytesMax: Int) throws(SystemError) -> [UInt8] {
    try FileSystem.read(path, bytesMax: bytesMax)
  }

  /// Appends bytes; with `isDurable` they are on disk when it returns.
  ///
  /// - Throws: `SystemError`, with the contents unchanged.
  package mutating func append(_ bytes: [UInt8], isDurable: Bool) throws(SystemError) {
    do throws(SystemError) {
      try write(bytes, descriptor)
      if isDurable { try SystemError.check("fdatasync", fdatasync(descriptor)) }
    } catch {
      // A partial line would hide the lines after it.
      ftruncate(descriptor, size)
      throw error
    }
    size += bytes.count
  }

  /// Empties the file.
  ///
  /// - Throws: `SystemError`.
  package mutating func clear() throws(SystemError) {
    try SystemError.check("ftruncate", ftruncate(descriptor, 0))
    size = 0
  }

  /// Replaces the contents atomically and durably.
  ///
  /// - Throws: `SystemError`, with the contents unchanged; if only the directory could not be
  ///   written, with the new contents, which a crash may lose.
  package mutating func replace(with bytes: [UInt8]) throws(SystemError) {
    let fresh = "\(path).new"
    let other = try Self.open(fresh, O_CREAT | O_TRUNC)
    do throws(SystemError) {
      // Takes the lock before the rename makes the file visible to other processes.
      try SystemError.check("fcntl", linux_lock_file(other))
      try write(bytes, other)
      try SystemError.check("fsync", fsync(other))
      // SAFETY: both texts are passed as C strings for the call.
      try SystemError.check("rename", unsafe rename(fresh, path))
    } catch {
      CLinux.close(other)
      throw error
    }
    CLinux.close(descriptor)
    (descriptor, size) = (other, bytes.count)
    try FileSystem.syncDirectory(of: path)
  }

  private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags
    // SAFETY: the text is passed as a C string for the call.
    return try SystemError.check("open", unsafe linux_open(path, flags, 0o600))
  }

  /// Whether the path still names the opened file.
  private static func isThe(_ descriptor: Int32, at path: String) throws(SystemError) -> Bool {
    // SAFETY: the structure is valid for each call, which fills it in.
    let opened = try unsafe status("fstat") { unsafe fstat(descriptor, $0) }
    let named = try unsafe status("stat") { unsafe stat(path, $0) }
    return (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
  }

  private static func status(
    _ call: String, _ ask: (UnsafeMutablePointer<stat>) -> Int32
  ) throws(SystemError) -> stat {
    var status = stat()
    // SAFETY: the structure is valid for the call, which fills it in.
    try SystemError.check(call, unsafe ask(&status))
    return status
  }
}
