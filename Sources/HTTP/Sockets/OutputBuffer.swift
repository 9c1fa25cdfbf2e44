/// Bytes that wait to be sent, with a moving front.
struct OutputBuffer {
  /// An empty buffer gives its memory back if it has grown over this.
  private static let keptCapacityMax = 16 * 1024

  /// Append at the end only.
  var bytes: [UInt8] = []
  private var front = 0

  var count: Int { bytes.count - front }
  var isEmpty: Bool { count == 0 }

  /// Calls `body` with what waits.
  func withWaiting<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(front..<bytes.count))
  }

  /// Drops `count` bytes at the front.
  mutating func remove(_ count: Int) {
    front += count
    guard front == bytes.count else {
      // Half of it is gone: moving the rest costs less than it has cost to send.
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
