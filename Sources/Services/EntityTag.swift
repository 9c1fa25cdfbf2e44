import HTTP
import Privacy

/// Names one content of an address, for clients that kept a copy of it (RFC 9110, 8.8.3).
package struct EntityTag: Sendable, Hashable {
  /// The tag as it stands in a field, in its quotes.
  package let text: String

  /// The tag of a content by its digest, of which the first half is more than enough.
  package init(_ digest: Digest256) {
    text = "\"\(Hexadecimal.encode(digest.bytes.span.extracting(0..<16)))\""
  }

  /// The tag of these bytes.
  package init(of bytes: [UInt8]) { self.init(SHA256.digest(of: bytes.span)) }

  /// Whether a client says that it has this content, or any.
  package func isNamed(in fields: HTTPFields) -> Bool {
    guard let asked = fields[.ifNoneMatch] else { return false }
    return asked == "*" || asked.contains(text)
  }
}

extension Response {
  /// 304: the copy that the client named is still right.
  package static func notModified(_ tag: EntityTag) -> Response {
    var response = Response(.notModified)
    response.markKept(tag)
    return response
  }

  /// Lets clients keep the content and ask each time whether it is still right.
  package mutating func markKept(_ tag: EntityTag) {
    fields.append(.etag, tag.text)
    fields.append(.cacheControl, "no-cache")
  }
}
