/// Writes server-sent events (HTML Living Standard, section 9.2) as the body of a response.
///
/// Writing returns once there is room for more, so that what waits for a slow client stays within
/// one piece; a client that takes nothing for the write time-out is cut off, and goes on later from
/// the last event it got. For one task on the loop of its stream.
package struct EventWriter: Sendable {
  /// How often a stream without events says that it is alive: under every proxy's time-out.
  package static let heartbeat = Duration.seconds(15)
  /// The media type of a stream of events.
  package static let mediaType = "text/event-stream"

  private let body: BodyWriter

  init(_ body: BodyWriter) { self.body = body }

  /// Sends events that `ServerSentEvent.append` has written.
  ///
  /// - Throws: when the client is gone.
  package func write(_ events: [UInt8]) async throws(BodyWriter.Failure) {
    try await body.write(events)
  }

  /// Sends a comment, which clients pass over.
  ///
  /// - Throws: when the client is gone.
  package func comment() async throws(BodyWriter.Failure) {
    try await body.write(Self.commentLine)
  }

  /// Tells the client to connect again soon, from the last event it got.
  ///
  /// - Throws: when the client is gone.
  package func comeAgain() async throws(BodyWriter.Failure) {
    try await body.write(Self.comeAgainLines)
  }

  private static let comeAgainLines = Array(": this server stops\nretry: 1000\n\n".utf8)
  private static let commentLine = Array(":\n\n".utf8)
}

/// The text of an event.
package enum ServerSentEvent {
  /// Adds an event: its name, its number, and data in one line, as JSON without line ends is.
  package static func append(
    _ name: String, id: Int64, data: some Sequence<UInt8>, to bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: "event: \(name)\nid: \(id)\ndata: ".utf8)
    bytes.append(contentsOf: data)
    bytes.append(contentsOf: "\n\n".utf8)
  }
}

extension Response {
  /// A stream of events, which `write` sends until it returns.
  package static func events(
    write: @escaping @Sendable (EventWriter) async throws -> Void
  ) -> Response {
    .stream(contentType: EventWriter.mediaType) { try await write(EventWriter($0)) }
  }
}
