/// A kept answer on its way to one more client: in pieces, so that a client that takes nothing
/// costs no copy of it.
struct RepeatedAnswer {
  /// Bytes that are handed to the stream at a time.
  private static let pieceBytes = 64 * 1024

  let answer: KeptAnswer
  /// Bytes of the body that the stream has.
  private(set) var sentBytes = 0

  init(_ answer: KeptAnswer) { self.answer = answer }

  /// Whether the stream has all of it.
  var isWhole: Bool { sentBytes == answer.body.count }

  /// Where the next piece of the body stands, which is now sent.
  mutating func takePiece() -> Range<Int> {
    let start = sentBytes
    sentBytes = min(start + Self.pieceBytes, answer.body.count)
    return start..<sentBytes
  }
}
