import HTTP

/// An answer that everybody gets alike, on its way to one client: its bytes are shared, and copied
/// in pieces as the client takes them.
struct RepeatedAnswer {
  /// Bytes that are handed to the stream at a time: where the connection has no room for more, each
  /// of its streams still has some under way, 128 of them half a MiB.
  private static let pieceBytesMin = 4 * 1024
  static let pieceBytesMax = 64 * 1024

  let status: HTTPStatus
  let body: [UInt8]
  /// Bytes of the body that the stream has.
  private(set) var sentBytes = 0

  init(_ status: HTTPStatus, _ body: [UInt8]) {
    self.status = status
    self.body = body
  }

  /// Whether the stream has all of it.
  var isWhole: Bool { sentBytes == body.count }

  /// Where the next piece of the body stands, which is now sent, on a stream of so much room.
  mutating func takePiece(room: Int) -> Range<Int> {
    let start = sentBytes
    let count = min(Self.pieceBytesMax, max(Self.pieceBytesMin, room))
    sentBytes = min(start + count, body.count)
    return start..<sentBytes
  }
}
