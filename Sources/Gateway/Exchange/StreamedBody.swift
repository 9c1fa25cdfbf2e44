import HTTP

/// A body that is handed on as it comes. Its beginning is kept, so that it can be sent again when
/// the first replica was lost before it took more.
package struct StreamedBody {
  private enum Flow {
    case flowing
    /// The client has to wait: no replica has the request yet, or the replica is slower.
    case held
    case ended
  }

  /// Bytes that are kept.
  package static let keptBytesMax = 64 * 1024

  /// Bytes it may have.
  package let bytesMax: UInt64
  private var received: UInt64 = 0
  /// All that came; nil once that is too much to keep, or of no use.
  package private(set) var kept: [UInt8]? = []
  private var flow: Flow

  /// A body that is held until a replica has its request, or an empty one.
  package init(bytesMax: UInt64, isEmpty: Bool) {
    self.bytesMax = bytesMax
    flow = isEmpty ? .ended : .held
  }

  /// Whether all of it came.
  package var isEnded: Bool { flow == .ended }

  /// Counts and keeps a part; false if the body is longer than it may be.
  package mutating func take(_ part: Span<UInt8>) -> Bool {
    received += UInt64(part.count)
    guard received <= bytesMax else { return false }
    if received <= UInt64(Self.keptBytesMax) {
      kept?.append(copying: part)
    } else {
      kept = nil
    }
    return true
  }

  /// It will not be sent a second time.
  package mutating func forget() { kept = nil }

  /// Notes that all of it came.
  package mutating func end() { flow = .ended }

  /// Whether the client is to be held back from here on.
  package mutating func hold() -> Bool {
    guard flow == .flowing else { return false }
    flow = .held
    return true
  }

  /// Whether the client was held back, and is not any more.
  package mutating func release() -> Bool {
    guard flow == .held else { return false }
    flow = .flowing
    return true
  }
}
