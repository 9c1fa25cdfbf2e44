import HTTP

/// An answer whose head has gone to the client, and what has followed of its body.
struct RelayedAnswer {
  /// Where in the body a part stands; `widening` is inside, where a body first proves to be long.
  enum Place { case inside, widening, last, behindTheEnd }

  /// A body of so many bytes is long: the replica's window is widened in time for the rest.
  private static let longBytes: UInt64 = 4 * 1024

  private enum Flow {
    case flowing
    /// The client takes no more for now, so the replica has to wait.
    case held
    /// The client has all of it.
    case ended
  }

  /// The sending that it answers.
  let attempt: UpstreamAttempt
  let status: UInt16
  /// Bytes of the body that went to the client.
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

  /// Whether the client has all of it.
  var isEnded: Bool { flow == .ended }

  /// Counts a part that came.
  mutating func take(_ count: Int) -> Place {
    guard flow != .ended else { return .behindTheEnd }
    bytes += UInt64(count)
    guard bytes == length else {
      guard !isLong, bytes >= Self.longBytes else { return .inside }
      isLong = true
      return .widening
    }
    flow = .ended
    return .last
  }

  /// Whether the replica is to be held back from here on.
  mutating func hold() -> Bool {
    guard flow == .flowing else { return false }
    flow = .held
    return true
  }

  /// Whether the replica was held back, and is not any more.
  mutating func release() -> Bool {
    guard flow == .held else { return false }
    flow = .flowing
    return true
  }
}
