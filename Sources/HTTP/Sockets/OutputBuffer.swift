/// Bytes to send; sent bytes are removed by advancing an offset.
struct OutputBuffer {
  /// An empty buffer with a larger capacity frees its memory.
  private static let keptCapacityMax = 16 * 1024

  /// The storage; callers append to it, and may replace it while it is empty.
  var bytes: [UInt8] = []
  private var front = 0

  var count: Int { bytes.count - front }
  var isEmpty: Bool { count == 0 }

  /// Calls `body` with the unsent bytes.
  func withWaiting<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(front..<bytes.count))
  }

  /// Drops `count` bytes at the front.
  mutating func remove(_ count: Int) {
    front += count
    guard front == bytes.count else {
      // More than half is sent: moving the rest costs less than sending it did.
      if front > 64 * 1024, front * 2 > bytes.count {
        bytes.removeFirst(front)
        front = 0
      }
      return
    }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacityMax)
    front = 0
  }
}
