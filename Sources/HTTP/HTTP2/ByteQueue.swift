/// A FIFO queue of bytes to send.
struct ByteQueue {
  /// Capacity kept when the queue becomes empty.
  private static let keptCapacity = 64 * 1024

  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  /// The range of the first bytes, at most `limit`.
  func prefix(_ limit: Int) -> Range<Int> { start..<(start + min(limit, count)) }

  /// Appends a copy.
  mutating func append(_ added: Span<UInt8>) {
    if start > Self.keptCapacity, start > bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(copying: added)
  }

  /// Moves the first bytes, at most `limit`, to the end of `output`.
  mutating func move(_ limit: Int, to output: inout [UInt8]) {
    let taken = prefix(limit)
    output.append(contentsOf: bytes[taken])
    drop(taken.count)
  }

  /// Removes and returns all bytes.
  mutating func takeAll() -> [UInt8] {
    if start > 0 { bytes.removeFirst(start) }
    start = 0
    defer { bytes = [] }
    return bytes
  }

  /// Removes all bytes after the first `kept`, and frees their memory.
  mutating func truncate(to kept: Int) {
    bytes = Array(bytes[prefix(kept)])
    start = 0
  }

  /// Removes all bytes and frees the memory.
  mutating func clear() {
    bytes = []
    start = 0
  }

  private mutating func drop(_ dropped: Int) {
    start += dropped
    guard start == bytes.count else { return }
    start = 0
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
  }
}
