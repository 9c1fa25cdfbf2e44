/// The states of a client's latest streams, open and closed, in constant memory.
///
/// A server's library removes a stream when it closes, and ignores frames that arrive afterwards.
/// RFC 9113 (sections 5.1 and 5.1.1) requires an error, unless this side closed the stream: the
/// peer may have sent such frames before it received the close. On a client the peer is the server,
/// which ends the streams that the client opens.
struct HTTP2StreamStates {
  /// The state of a stream, from the client's side.
  enum State: UInt64 {
    /// The client skipped its identifier by opening a higher one.
    case skipped
    /// The client may send on it.
    case open
    /// The client has ended or reset it, and must not send on it.
    case ended
    /// This side closed it before the client had ended it.
    case cut
  }

  /// Number of streams remembered: twice as many as a client may have open.
  static let capacity = 256
  private static let bits = 2
  private static let perWord = UInt64.bitWidth / bits

  private var words = InlineArray<8, UInt64>(repeating: 0)
  /// The index of the highest identifier used; -1 before the first one.
  private var latest = -1

  /// Whether the identifier is higher than all earlier ones.
  func isNew(_ id: Int32) -> Bool { Self.ordinal(id) > latest }

  /// The state of an earlier stream; nil if it is no longer remembered.
  subscript(id: Int32) -> State? {
    let ordinal = Self.ordinal(id)
    guard ordinal <= latest, ordinal > latest - Self.capacity else { return nil }
    let slot = Self.slot(ordinal)
    return State(rawValue: words[slot.word] >> slot.shift & 3)
  }

  /// The client opens a stream with a new identifier.
  mutating func open(_ id: Int32) {
    let ordinal = Self.ordinal(id)
    for skipped in max(latest + 1, ordinal - Self.capacity + 1)..<ordinal { set(skipped, .skipped) }
    latest = ordinal
    set(ordinal, .open)
  }

  /// The client ends or resets a stream.
  mutating func end(_ id: Int32) { close(id, .ended) }

  /// This side closes a stream.
  mutating func cut(_ id: Int32) { close(id, .cut) }

  private mutating func close(_ id: Int32, _ state: State) {
    switch self[id] {
    case .open: set(Self.ordinal(id), state)
    case .skipped, .ended, .cut, nil: break
    }
  }

  private mutating func set(_ ordinal: Int, _ state: State) {
    let slot = Self.slot(ordinal)
    words[slot.word] = words[slot.word] & ~(3 << slot.shift) | state.rawValue << slot.shift
  }

  private static func slot(_ ordinal: Int) -> (word: Int, shift: UInt64) {
    let index = ordinal % capacity
    return (index / perWord, UInt64(index % perWord * bits))
  }

  /// The index of a client's stream; clients use odd identifiers.
  private static func ordinal(_ id: Int32) -> Int { Int(id) / 2 }
}
