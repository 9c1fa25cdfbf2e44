import Synchronization

/// Unpredictable bytes that become public at once, such as nonces and identifiers; never for keys.
///
/// A call of the library's generator costs 0.8 µs, three times as much as sealing 200 bytes.
/// Therefore 1,024 bytes are generated at a time, and each is used once. A process that forks
/// without exec would use the same bytes again; none of our processes does.
enum PublicRandomness {
  private struct Stock {
    var bytes: [UInt8] = []
    var used = 0
  }

  private static let drawnAtOnce = 1_024
  private static let stock = Mutex(Stock())

  /// The next `count` bytes, at most 64. Callable from any thread.
  static func draw<let count: Int>() -> InlineArray<count, UInt8> {
    precondition(count <= 64, "Stock is for nonces and identifiers.")
    return stock.withLock { stock in
      if stock.bytes.count - stock.used < count {
        stock.bytes = secureRandom(count: drawnAtOnce)
        stock.used = 0
      }
      let start = stock.used
      stock.used += count
      return InlineArray { stock.bytes[start + $0] }
    }
  }
}
