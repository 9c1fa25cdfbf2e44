import CLinux
import EventLoop
import Foundation
import Operations

/// A log file with rotation: a full `name.log` is renamed to `name.log.1` and so on, and the oldest
/// is deleted. A full disk loses lines but does not stop the program.
package final class RotatingLog {
  /// The size at which a file is rotated.
  package static let bytesMaxUsual = 10_000_000
  /// How many rotated files are kept.
  package static let keptMax = 4

  private let path: String
  private let bytesMax: Int
  private var descriptor: Int32 = -1
  private var size = 0
  private var isClosed = false

  /// Opens the file and appends to existing content.
  package init(path: String, bytesMax: Int = RotatingLog.bytesMaxUsual) throws(SystemError) {
    self.path = path
    self.bytesMax = bytesMax
    try open()
  }

  /// A file that the first line creates.
  package init(creatingLater path: String) {
    self.path = path
    bytesMax = Self.bytesMaxUsual
  }

  /// Writes `bytes`, after a rotation if they would exceed the size limit.
  package func append(_ bytes: ArraySlice<UInt8>) {
    if size > 0, size + bytes.count > bytesMax { rotate() }
    if descriptor < 0, !isClosed { reopen() }
    // SAFETY: the buffer is valid for the call, with its own size.
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe write(descriptor, buffer.baseAddress, buffer.count)
    }
    size += max(0, count)
  }

  /// Closes the file.
  package func close() {
    isClosed = true
    closeFile()
  }

  private func closeFile() {
    if descriptor >= 0 { CLinux.close(descriptor) }
    descriptor = -1
    size = 0
  }

  private func open() throws(SystemError) {
    // SAFETY: the text is passed as a C string for the call.
    descriptor = try SystemError.check(
      "open", unsafe linux_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
    size = Int(lseek(descriptor, 0, SEEK_END))
  }

  private func rotate() {
    // SAFETY: the texts are passed as C strings for the calls; a missing file is not an error.
    for number in stride(from: Self.keptMax - 1, through: 1, by: -1) {
      unsafe _ = rename("\(path).\(number)", "\(path).\(number + 1)")
    }
    // SAFETY: as above.
    unsafe _ = rename(path, "\(path).1")
    closeFile()
    reopen()
  }

  private func reopen() {
    do throws(SystemError) {
      try open()
    } catch {
      // The log itself is unavailable, so these bytes are lost silently; the next line tries again.
    }
  }
}
