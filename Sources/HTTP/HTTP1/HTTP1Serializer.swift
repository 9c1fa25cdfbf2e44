/// Writes heads and chunks of HTTP/1.1. Content-Length, Transfer-Encoding and Connection are
/// derived from the framing; these and all other hop-by-hop fields of the head are omitted.
package enum HTTP1Serializer {
  /// How the body of an outgoing message is framed.
  package enum BodyFraming: Sendable, Hashable {
    /// No body and no framing field: 204, 304, and requests without a body.
    case none
    case length(UInt64)
    case chunked
    /// The body ends with the connection: for HTTP/1.0 clients.
    case untilClose
  }

  /// Appends a response's head. `date` is written unless the fields contain Date.
  package static func write(
    _ head: ResponseHead, framing: BodyFraming, keepsAlive: Bool, minorVersion: UInt8 = 1,
    date: [UInt8] = [], into output: inout [UInt8]
  ) {
    let reason = head.status.reasonText
    let hasDate = !date.isEmpty && !head.fields.contains(.date)
    let room =
      head.fields.writtenBytesMax(separators: separatorBytes) + reason.utf8CodeUnitCount
      + date.count + head.number.count + otherBytesMax
    output.append(addingCapacity: room) { output in
      output.append(literal: "HTTP/1.1 ")
      output.append(decimal: UInt64(head.status.code))
      output.append(ASCII.space)
      output.append(literal: reason)
      output.append(literal: "\r\n")
      write(head.fields, into: &output)
      if !head.number.isEmpty {
        output.append(literal: "x-request-id: ")
        output.append(copying: head.number.span)
        output.append(literal: "\r\n")
      }
      if hasDate {
        output.append(literal: "date: ")
        output.append(copying: date.span)
        output.append(literal: "\r\n")
      }
      write(framing, into: &output)
      if !keepsAlive {
        output.append(literal: "connection: close\r\n")
      } else if minorVersion == 0 {
        output.append(literal: "connection: keep-alive\r\n")
      }
      output.append(literal: "\r\n")
    }
  }

  /// Appends a request's head.
  package static func write(
    _ head: RequestHead, framing: BodyFraming, into output: inout [UInt8]
  ) {
    output.append(contentsOf: head.method.text.utf8)
    output.append(ASCII.space)
    let room =
      head.target.count + head.fields.writtenBytesMax(separators: separatorBytes) + otherBytesMax
    output.append(addingCapacity: room) { output in
      output.append(copying: head.target.span)
      output.append(literal: " HTTP/1.1\r\n")
      write(head.fields, into: &output)
      write(framing, into: &output)
      output.append(literal: "\r\n")
    }
  }

  /// Bytes between name and value, and after the value.
  private static let separatorBytes = 4
  /// The most bytes of the first line, the framing and the connection, without variable texts.
  private static let otherBytesMax = 192

  /// Appends part of a chunked body. Writes nothing for no bytes, because an empty chunk ends the
  /// body.
  package static func writeChunk(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    guard bytes.count > 0 else { return }
    output.append(hexadecimal: bytes.count)
    output.append(literal: "\r\n")
    output.append(copying: bytes)
    output.append(literal: "\r\n")
  }

  /// Appends the end of a chunked body.
  package static func writeLastChunk(into output: inout [UInt8]) {
    output.append(literal: "0\r\n\r\n")
  }

  private static func write(
    _ framing: BodyFraming, into output: inout OutputSpan<UInt8>
  ) {
    switch framing {
    case .none, .untilClose: break
    case .length(let length):
      output.append(literal: "content-length: ")
      output.append(decimal: length)
      output.append(literal: "\r\n")
    case .chunked: output.append(literal: "transfer-encoding: chunked\r\n")
    }
  }

  private static func write(_ fields: HTTPFields, into output: inout OutputSpan<UInt8>) {
    let bytes = fields.bytes.span
    for entry in fields.entries {
      if let known = entry.known {
        guard known != .contentLength, !known.isHopByHop else { continue }
        output.append(literal: known.text)
      } else {
        output.append(copying: bytes.extracting(HTTPFields.nameRange(entry)))
      }
      // Two bytes cost less one by one than as a literal.
      output.append(ASCII.colon)
      output.append(ASCII.space)
      output.append(copying: bytes.extracting(HTTPFields.valueRange(entry)))
      output.append(ASCII.carriageReturn)
      output.append(ASCII.lineFeed)
    }
  }
}
