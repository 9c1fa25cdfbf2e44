import HTTP
import Web

/// A shared response on its way to one client. The body is shared between clients and copied in
/// pieces as each client accepts them.
struct CachedResponseProgress {
  /// The smallest piece handed to a stream at a time. Where the connection has no room left, each
  /// of its streams still has this much in flight: half a MiB for 128 streams.
  private static let pieceBytesMin = 4 * 1024
  static let pieceBytesMax = 64 * 1024

  let status: HTTPStatus
  let body: [UInt8]
  /// Bytes of the body handed to the stream so far.
  private(set) var sentBytes = 0

  init(_ status: HTTPStatus, _ body: [UInt8]) {
    self.status = status
    self.body = body
  }

  /// Whether the whole body was handed to the stream.
  var isWhole: Bool { sentBytes == body.count }

  /// The range of the next piece of the body, which the caller now sends on a stream with `room`
  /// bytes.
  mutating func takePiece(room: Int) -> Range<Int> {
    let start = sentBytes
    let count = min(Self.pieceBytesMax, max(Self.pieceBytesMin, room))
    sentBytes = min(start + count, body.count)
    return start..<sentBytes
  }
}
