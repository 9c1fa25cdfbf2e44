import HTTP
import Web

/// The body of a request, as far as it has arrived.
package enum RequestBody {
  /// How to handle a part of the body.
  package enum Receipt: Equatable {
    case nothing
    /// Send it to the replica.
    case passOn
    /// Reject it: the body is longer than allowed.
    case tooLarge(bytesMax: UInt64)
  }

  /// How to handle the end of the body.
  package enum Ending: Equatable {
    case nothing
    /// Check the complete body.
    case check([UInt8])
    /// Send the end to the replica.
    case passOn
  }

  /// The endpoint takes no body: every part is dropped.
  case ignored
  /// It is collected before any further phase.
  case collecting([UInt8])
  /// It is complete.
  case whole([UInt8])
  /// It is streamed to the replica as it arrives.
  case streamed(StreamedBody)

  /// The length announced to a replica; nil for a stream, which keeps the client's announcement, if
  /// any.
  package var count: Int? {
    switch self {
    case .ignored: 0
    case .collecting(let bytes), .whole(let bytes): bytes.count
    case .streamed: nil
    }
  }

  /// The bytes sent with the head, and whether they are the whole body.
  package var opening: (bytes: [UInt8], isWhole: Bool) {
    switch self {
    case .ignored: ([], true)
    case .collecting(let bytes): (bytes, false)
    case .whole(let bytes): (bytes, true)
    case .streamed(let body): (body.kept ?? [], body.isEnded)
    }
  }

  /// Whether everything sent so far can be sent again.
  package var isKept: Bool {
    switch self {
    case .ignored, .collecting, .whole: true
    case .streamed(let body): body.kept != nil
    }
  }

  // The mutating methods below consume the case and store it again, so that its bytes are never
  // shared and never copied.

  /// Takes a part of the body.
  package mutating func take(_ part: Span<UInt8>) -> Receipt {
    switch consume self {
    case .ignored:
      self = .ignored
      return .nothing
    case .whole(let bytes):
      self = .whole(bytes)
      return .nothing
    case .collecting(var bytes):
      let isTooLarge = bytes.count + part.count > BodyPhase.collectedBytesMax
      if !isTooLarge { bytes.append(copying: part) }
      self = .collecting(bytes)
      return isTooLarge ? .tooLarge(bytesMax: UInt64(BodyPhase.collectedBytesMax)) : .nothing
    case .streamed(var body):
      let isTaken = body.take(part)
      self = .streamed(body)
      return isTaken ? .passOn : .tooLarge(bytesMax: body.bytesMax)
    }
  }

  /// Records the end of the body.
  package mutating func end() -> Ending {
    switch consume self {
    case .ignored:
      self = .ignored
      return .nothing
    case .whole(let bytes):
      self = .whole(bytes)
      return .nothing
    case .collecting(let bytes):
      self = .whole(bytes)
      return .check(bytes)
    case .streamed(var body):
      body.end()
      self = .streamed(body)
      return .passOn
    }
  }

  /// Marks the client as paused; true if it was not paused before.
  package mutating func hold() -> Bool { changeStream { $0.hold() } ?? false }

  /// Marks the client as resumed; true if it was paused before.
  package mutating func release() -> Bool { changeStream { $0.release() } ?? false }

  /// Drops the kept beginning of a stream.
  package mutating func forget() { changeStream { $0.forget() } }

  @discardableResult
  private mutating func changeStream<Result>(
    _ change: (inout StreamedBody) -> Result
  ) -> Result? {
    switch consume self {
    case .streamed(var body):
      let result = change(&body)
      self = .streamed(body)
      return result
    case let other:
      self = other
      return nil
    }
  }
}
