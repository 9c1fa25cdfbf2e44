/// Writes server-sent events (HTML Living Standard, section 9.2) as the body of a response.
///
/// `write` returns when more can be written, so that at most one piece is buffered for a slow
/// client. A client that reads nothing during the write time-out is disconnected, and resumes later
/// after the last event it received. For one task on the loop of its stream.
package struct EventWriter: Sendable {
  /// Interval of keep-alive comments in a stream without events: shorter than the time-out of
  /// common proxies.
  package static let heartbeat = Duration.seconds(15)
  /// The media type of an event stream.
  package static let mediaType = "text/event-stream"

  /// The response's body.
  package let body: BodyWriter

  init(_ body: BodyWriter) { self.body = body }

  /// Sends events formatted by `ServerSentEvent.append`.
  ///
  /// - Throws: when the client has disconnected.
  package func write(_ events: [UInt8]) async throws(BodyWriter.Failure) {
    try await body.write(events)
  }

  /// Sends a comment, which clients ignore.
  ///
  /// - Throws: when the client has disconnected.
  package func comment() async throws(BodyWriter.Failure) {
    try await body.write(Self.commentLine)
  }

  /// Makes the client reconnect soon and resume after the last event that it received.
  ///
  /// - Throws: when the client has disconnected.
  package func comeAgain() async throws(BodyWriter.Failure) {
    try await body.write(Self.comeAgainLines)
  }

  private static let comeAgainLines = Array(": this server stops\nretry: 1000\n\n".utf8)
  private static let commentLine = Array(":\n\n".utf8)
}

/// The text of an event.
package enum ServerSentEvent {
  /// Appends an event: its name, its number, and data on one line, such as JSON without line ends.
  package static func append(
    _ name: String, id: Int64, data: some Sequence<UInt8>, to bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: "event: \(name)\nid: \(id)\ndata: ".utf8)
    bytes.append(contentsOf: data)
    bytes.append(contentsOf: "\n\n".utf8)
  }
}

extension Response {
  /// A response with an event stream that lasts until `write` returns.
  package static func events(
    write: @escaping @Sendable (EventWriter) async throws -> Void
  ) -> Response {
    .stream(contentType: EventWriter.mediaType) { try await write(EventWriter($0)) }
  }
}
