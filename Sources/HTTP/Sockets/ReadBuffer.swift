import CLinux

/// The read buffer shared by all sockets of one loop.
@safe final class ReadBuffer {
  static let size = 64 * 1024

  private let memory: UnsafeMutableBufferPointer<UInt8>
  private var plaintext: [UInt8] = []
  /// Empty arrays with the capacity of earlier outputs.
  private var spares: [[UInt8]] = []
  /// As many connections write in one turn without an allocation.
  private static let sparesMax = 64
  private static let spareBytesMax = 16 * 1024

  init() {
    // SAFETY: initialised immediately and freed in deinit; the pointer is never shared.
    unsafe memory = .allocate(capacity: Self.size)
    unsafe memory.initialize(repeating: 0)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// The result of a read.
  enum Outcome {
    /// This number of bytes is at the start of the buffer.
    case bytes(Int)
    /// The peer has closed its sending side.
    case end
    case wouldBlock
    case failed(Int32)
  }

  /// Reads once from a non-blocking socket.
  func read(from descriptor: Int32) -> Outcome {
    while true {
      // SAFETY: the kernel writes at most `size` bytes at the start of the memory.
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

  /// Calls `body` with the first `count` bytes; `body` must not read again.
  func withBytes(_ count: Int, _ body: (Span<UInt8>) -> Void) {
    // SAFETY: `read` returned the count, so it is within the memory, which outlives the call.
    body(unsafe Span(_unsafeElements: UnsafeBufferPointer(memory)).extracting(0..<count))
  }

  /// Returns an empty array with the capacity of earlier decryptions.
  func takePlaintext() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &plaintext)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  /// Returns an empty array for the plaintext of a turn's output, with room for some bytes.
  func takeOutput(room: Int) -> [UInt8] {
    // Moved out, here and below, so that the compiler proves exclusive access.
    var moved: [[UInt8]] = []
    swap(&moved, &spares)
    var taken = moved.popLast() ?? []
    swap(&moved, &spares)
    taken.reserveCapacity(room)
    return taken
  }

  /// Takes an array that is no longer needed, for its capacity.
  func putBackOutput(_ used: consuming [UInt8]) {
    guard spares.count < Self.sparesMax, used.capacity <= Self.spareBytesMax else { return }
    used.removeAll(keepingCapacity: true)
    var moved: [[UInt8]] = []
    swap(&moved, &spares)
    moved.append(used)
    swap(&moved, &spares)
  }

  /// Returns the array for the next decryption.
  func putBack(_ used: consuming [UInt8]) { plaintext = used }
}
