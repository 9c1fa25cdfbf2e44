/// Bytes waiting to be sent: appended at one end, taken from the other.
struct ByteQueue {
  /// Room that is kept when the queue runs empty.
  private static let keptCapacity = 64 * 1024

  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  /// The first bytes, at most `limit` of them.
  func prefix(_ limit: Int) -> Range<Int> { start..<(start + min(limit, count)) }

  /// Appends a copy.
  mutating func append(_ added: Span<UInt8>) {
    if start > Self.keptCapacity, start > bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(copying: added)
  }

  /// Moves the first bytes, at most `limit` of them, to the end of `output`.
  mutating func move(_ limit: Int, to output: inout [UInt8]) {
    let taken = prefix(limit)
    output.append(contentsOf: bytes[taken])
    drop(taken.count)
  }

  /// Takes everything.
  mutating func takeAll() -> [UInt8] {
    if start > 0 { bytes.removeFirst(start) }
    start = 0
    defer { bytes = [] }
    return bytes
  }

  /// Forgets everything and the room it took.
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
