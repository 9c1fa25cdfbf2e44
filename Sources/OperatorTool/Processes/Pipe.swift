import CLinux
import EventLoop

/// Both ends of a pipe, each closed once.
final class Pipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    // SAFETY: pipe2 fills two descriptors; the tuple holds two.
    let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
      unsafe pipe2(bytes.assumingMemoryBound(to: Int32.self).baseAddress, O_CLOEXEC)
    }
    try SystemError.check("pipe2", result)
    (reading, writing) = ends
  }

  /// Transfers the reading end to the caller, who must close it.
  func takeReading() -> Int32 {
    defer { reading = -1 }
    return reading
  }

  func closeReading() {
    if reading >= 0 { CLinux.close(reading) }
    reading = -1
  }

  func closeWriting() {
    if writing >= 0 { CLinux.close(writing) }
    writing = -1
  }

  func close() {
    closeReading()
    closeWriting()
  }

  /// Writes the bytes; ignores a reader that has closed its end.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is valid for the call, with its own size.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe CLinux.write(writing, buffer.baseAddress, buffer.count)
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads until the writer closes its end; bytes beyond `bytesMax` are read and discarded.
  func readToEnd(bytesMax: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      // SAFETY: reads at most the size of `chunk` into it.
      let count = unsafe read(reading, &chunk, chunk.count)
      if count == -1, linux_errno() == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += chunk[..<min(count, bytesMax - bytes.count)]
    }
  }
}
