import HTTP
import Web

/// A body that is streamed to the replica as it arrives. Its beginning is kept, so that it can be
/// sent again if the first replica is lost before it accepted more.
package struct StreamedBody {
  private enum Flow {
    case flowing
    /// The client is paused: no replica has the request yet, or the replica is slower.
    case held
    case ended
  }

  /// How many bytes of the beginning are kept.
  package static let keptBytesMax = 64 * 1024

  /// The largest allowed size.
  package let bytesMax: UInt64
  private var received: UInt64 = 0
  /// All bytes so far; nil once they are too many to keep, or no longer needed.
  package private(set) var kept: [UInt8]? = []
  private var flow: Flow

  /// Creates a body that is paused until a replica has its request, or an empty one.
  package init(bytesMax: UInt64, isEmpty: Bool) {
    self.bytesMax = bytesMax
    flow = isEmpty ? .ended : .held
  }

  /// Whether the whole body has arrived.
  package var isEnded: Bool { flow == .ended }

  /// Counts and keeps a part; false if the body is longer than allowed.
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

  /// Drops the kept bytes: the body will not be sent again.
  package mutating func forget() { kept = nil }

  /// Records the end of the body.
  package mutating func end() { flow = .ended }

  /// Marks the client as paused; true if it was not paused before.
  package mutating func hold() -> Bool {
    guard flow == .flowing else { return false }
    flow = .held
    return true
  }

  /// Marks the client as resumed; true if it was paused before.
  package mutating func release() -> Bool {
    guard flow == .held else { return false }
    flow = .flowing
    return true
  }
}
