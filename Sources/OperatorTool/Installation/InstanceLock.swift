import CLinux
import EventLoop
import Operations

/// Ensures that only one supervisor runs on a state directory, by a lock on `trackme.pid` (an open
/// file description lock, fcntl(2)), which the kernel releases whenever its process ends. The file
/// contains the pid.
struct InstanceLock {
  private let descriptor: Int32

  enum Attempt {
    case taken(InstanceLock)
    case heldBy(Int32)
  }

  /// Tries to take the lock, which is then held until the process ends; other commands than the
  /// supervisor have files of their own.
  ///
  /// - Throws: `SystemError`; `EAGAIN` while the holder has not yet written its pid.
  static func take(
    _ state: StateDirectory, _ name: String = "trackme.pid"
  ) throws(SystemError) -> Attempt {
    let path = state.file(name)
    // SAFETY: the text is passed as a C string for the call.
    let descriptor = try SystemError.check(
      "open", unsafe linux_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    if linux_lock_file(descriptor) == 0 {
      return .taken(InstanceLock(descriptor: descriptor))
    }
    close(descriptor)
    return .heldBy(try number(in: path))
  }

  /// Prevents two commands that change the same files at once; the lock ends with the process.
  /// `subject` names the files in the error.
  ///
  /// - Throws: `StartError`, also while another command holds the lock.
  static func hold(
    _ directory: StateDirectory, _ name: String, of subject: String
  ) throws(StartError) {
    let holder: Int32?
    do throws(SystemError) {
      switch try take(directory, name) {
      case .taken(let lock): return try lock.sign()
      case .heldBy(let pid): holder = pid
      }
    } catch {
      guard error.code == EAGAIN else {
        throw StartError("The directory \(directory.path) can't be locked", error)
      }
      holder = nil
    }
    let process = holder.map { ", with the process number \($0)" } ?? ""
    throw StartError("Another command changes \(subject) now\(process).")
  }

  /// The pid of the holder, or `nil`. It does not lock, so a simultaneous start can take the lock.
  static func holder(_ state: StateDirectory) throws(SystemError) -> Int32? {
    let path = state.file("trackme.pid")
    guard FileSystem.exists(path) else { return nil }
    // SAFETY: the text is passed as a C string for the call.
    let descriptor = try SystemError.check(
      "open", unsafe linux_open(path, O_RDONLY | O_CLOEXEC, 0))
    defer { close(descriptor) }
    let isHeld = try SystemError.check("fcntl", linux_is_file_locked(descriptor))
    return isHeld == 1 ? try number(in: path) : nil
  }

  /// Writes the pid of this process into the file.
  func sign() throws(SystemError) {
    let text = Array("\(getpid())\n".utf8)
    try SystemError.check("ftruncate", ftruncate(descriptor, 0))
    // SAFETY: the buffer is valid for the call, with its own size.
    let count = unsafe text.withUnsafeBytes { buffer in
      unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    if count == -1 { throw .last("write") }
  }

  /// The pid in the file. A value that is not a positive number is an error: a signal to 0 would
  /// reach this process's own group.
  private static func number(in path: String) throws(SystemError) -> Int32 {
    let bytes = try FileSystem.read(path, bytesMax: 64)
    let number = Int32(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
    guard let number, number > 0 else { throw SystemError(call: "read \(path)", code: EAGAIN) }
    return number
  }
}
