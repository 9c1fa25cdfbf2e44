import HTTP
import Web

/// A response whose head was sent to the client, and the progress of its body.
struct RelayedAnswer {
  /// The position of a part in the body; `widening` is the part at which a body turns out to be
  /// long.
  enum Position { case inside, widening, last, afterEnd }

  /// From this size on a body counts as long, and the replica's window is widened in time for the
  /// rest.
  private static let longBytes: UInt64 = 4 * 1024

  private enum Flow {
    case flowing
    /// The client is congested; the replica is paused.
    case held
    /// The client has the whole response.
    case ended
  }

  /// The attempt that produces the response.
  let attempt: UpstreamAttempt
  let status: UInt16
  /// Bytes of the body sent to the client.
  private(set) var bytes: UInt64 = 0
  private let length: UInt64?
  private var flow: Flow
  private var isLong = false

  init(_ head: borrowing ResponseHead, to attempt: UpstreamAttempt) {
    self.attempt = attempt
    status = head.status.code
    length = head.contentLength
    flow = head.contentLength == 0 || head.status.hasNoBody ? .ended : .flowing
  }

  /// Whether the client has the whole response.
  var isEnded: Bool { flow == .ended }

  /// Whether it has no end of its own, as an event stream.
  var isEndless: Bool { flow != .ended && length == nil && status == HTTPStatus.ok.code }

  /// Counts a part of the body.
  mutating func take(_ count: Int) -> Position {
    guard flow != .ended else { return .afterEnd }
    bytes += UInt64(count)
    guard bytes == length else {
      guard !isLong, bytes >= Self.longBytes else { return .inside }
      isLong = true
      return .widening
    }
    flow = .ended
    return .last
  }

  /// Marks the replica as paused; true if it was not paused before.
  mutating func hold() -> Bool {
    guard flow == .flowing else { return false }
    flow = .held
    return true
  }

  /// Marks the replica as resumed; true if it was paused before.
  mutating func release() -> Bool {
    guard flow == .held else { return false }
    flow = .flowing
    return true
  }
}
