import HTTP

/// The body of a request, as far as it is here.
package enum RequestBody {
  /// What is to be done with a part that came.
  package enum Receipt: Equatable {
    case nothing
    /// It goes on to the replica.
    case passOn
    /// The body is longer than it may be.
    case tooLarge(bytesMax: UInt64)
  }

  /// What is to be done at the end.
  package enum Ending: Equatable {
    case nothing
    /// All of it is here, to be checked.
    case check([UInt8])
    /// The end goes on to the replica.
    case passOn
  }

  /// Nobody wants it: what comes is dropped.
  case ignored
  /// It is gathered before anything else is done.
  case collecting([UInt8])
  /// All of it is here.
  case whole([UInt8])
  /// It is handed on as it comes.
  case streamed(StreamedBody)

  /// Bytes that a replica is told of; nil for a stream, whose length the client announced or not.
  package var count: Int? {
    switch self {
    case .ignored: 0
    case .collecting(let bytes), .whole(let bytes): bytes.count
    case .streamed: nil
    }
  }

  /// What a replica gets with the head, and whether that is all.
  package var opening: (bytes: [UInt8], isWhole: Bool) {
    switch self {
    case .ignored: ([], true)
    case .collecting(let bytes): (bytes, false)
    case .whole(let bytes): (bytes, true)
    case .streamed(let body): (body.kept ?? [], body.isEnded)
    }
  }

  /// Whether all that was sent of it can be sent again.
  package var isKept: Bool {
    switch self {
    case .ignored, .collecting, .whole: true
    case .streamed(let body): body.kept != nil
    }
  }

  // In the changes below the case is taken out and put back, so that its bytes are never shared,
  // and never copied.

  /// Takes a part that came.
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

  /// Notes that all of it came.
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

  /// Whether the client is to be held back from here on.
  package mutating func hold() -> Bool { changeStream { $0.hold() } ?? false }

  /// Whether the client was held back, and is not any more.
  package mutating func release() -> Bool { changeStream { $0.release() } ?? false }

  /// Gives up what is kept of a stream.
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
