import CLinux

/// The memory that sockets of one loop read into, one after the other.
@safe final class ReadBuffer {
  static let size = 64 * 1024

  private let memory: UnsafeMutableBufferPointer<UInt8>
  private var plaintext: [UInt8] = []

  init() {
    // SAFETY: filled at once and freed in deinit; nobody else ever holds the pointer.
    unsafe memory = .allocate(capacity: Self.size)
    unsafe memory.initialize(repeating: 0)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// What a read gave.
  enum Outcome {
    /// So many bytes stand at the beginning of the buffer.
    case bytes(Int)
    /// The peer has closed its side.
    case end
    case wouldBlock
    case failed(Int32)
  }

  /// Reads once from a socket that doesn't block.
  func read(from descriptor: Int32) -> Outcome {
    while true {
      // SAFETY: the kernel writes at most `size` bytes at the beginning of the memory.
      let count = unsafe recv(descriptor, memory.baseAddress, Self.size, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      switch linux_errno() {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      case let code: return .failed(code)
      }
    }
  }

  /// Calls `body` with the first `count` bytes; it must not read again before it returns.
  func withBytes(_ count: Int, _ body: (Span<UInt8>) -> Void) {
    // SAFETY: `read` gave the count, so it is within the memory, which outlives the call.
    body(unsafe Span(_unsafeElements: UnsafeBufferPointer(memory)).extracting(0..<count))
  }

  /// An empty array with the room of earlier decryptions.
  func takePlaintext() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &plaintext)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  /// Gives the array back for the next decryption.
  func putBack(_ used: consuming [UInt8]) { plaintext = used }
}
