import HTTP
import Time

/// Answers each request with the head that is set.
private final class Responder: HTTP2SessionDelegate {
  var answer = ResponseHead(.ok)

  func received(_ head: consuming RequestHead, on stream: HTTP2Stream) {
    stream.send(answer, endStream: true)
  }
}

/// Keeps the head of a response.
private final class HeadKeeper: HTTP2StreamHandler {
  private(set) var head: ResponseHead?

  func received(_ head: ResponseHead, on stream: HTTP2Stream) { self.head = head }
  func received(body: Span<UInt8>, on stream: HTTP2Stream) {}
  func receivedEnd(trailers: HTTPFields?, on stream: HTTP2Stream) {}
  func closed(_ closure: HTTP2Closure, on stream: HTTP2Stream) {}
}

/// Reads heads of responses from any bytes: for each field a name, a length and a value.
private struct HeadSource {
  private static let names: [FieldName] = [
    .contentType, .date, .requestID, .setCookie, .etag, .vary, .cacheControl, .location,
  ]
  private static let statuses: [HTTPStatus] = [.ok, .created, .notFound, .badGateway]
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next head; nil at the end of the bytes.
  mutating func next() -> ResponseHead? {
    guard let first = rest.popFirst() else { return nil }
    var fields = HTTPFields()
    for _ in 0..<(first >> 4) {
      guard let name = rest.popFirst(), let length = rest.popFirst() else { break }
      // Long values, because only they evict lines from the table.
      let value = rest.prefix(Int(length) / 4)
      rest = rest.dropFirst(value.count)
      let text = String(repeating: "v", count: Int(length) * 4) + visible(value)
      if name & 1 == 0 {
        fields.append(Self.names[Int(name >> 1) % Self.names.count], text)
      } else {
        fields.append("x-\(name >> 5)", text)
      }
    }
    return ResponseHead(
      Self.statuses[Int(first) % Self.statuses.count], fields: fields, contentLength: 0)
  }

  private func visible(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { 0x21 + $0 % 94 }, as: UTF8.self)
  }
}

/// Any bytes as the heads of responses on one connection: libnghttp2's client decodes each as it
/// was sent, whatever lines repeat and leave the compression table.
package func fuzzResponseHeads(_ bytes: [UInt8]) {
  var source = HeadSource(bytes)
  do throws(HTTP2Error) {
    let server = try HTTP2Session(role: .server, settings: .public)
    let client = try HTTP2Session(role: .client, settings: .public)
    defer {
      server.connectionLost()
      client.connectionLost()
    }
    let responder = Responder()
    server.delegate = responder
    while let head = source.next() {
      responder.answer = head
      let keeper = HeadKeeper()
      _ = try client.send(
        RequestHead(.get, "/", authority: "a"), endStream: true, handler: keeper)
      try exchange(client, server)
      guard let received = keeper.head else { preconditionFailure("a head was lost") }
      precondition(received.status == head.status, "another status")
      precondition(received.contentLength == 0, "another length")
      precondition(received.fields == head.fields, "other fields")
    }
    withExtendedLifetime(responder) {}
  } catch {
    preconditionFailure("the client refused a head: \(error)")
  }
}

/// Moves the output of both sides until none is left.
private func exchange(
  _ client: HTTP2Session, _ server: HTTP2Session
) throws(HTTP2Error) {
  while true {
    var toServer: [UInt8] = []
    var toClient: [UInt8] = []
    while client.pullOutput(into: &toServer) {}
    while server.pullOutput(into: &toClient) {}
    if toServer.isEmpty, toClient.isEmpty { return }
    try server.receive(toServer.span, at: .zero)
    try client.receive(toClient.span, at: .zero)
  }
}
