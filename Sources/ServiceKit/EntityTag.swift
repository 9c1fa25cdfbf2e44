import Bytes
import Cryptography
import HTTP
import Web

/// Identifies one version of a resource for clients that cached it (RFC 9110, 8.8.3).
package struct EntityTag: Sendable, Hashable {
  /// The tag with its quotes, as in a field.
  package let text: String

  /// The tag of a version by the first half of its digest, which is more than sufficient.
  package init(_ digest: Digest256) {
    text = "\"\(Hexadecimal.encode(digest.bytes.span.extracting(0..<16)))\""
  }

  /// The tag of these bytes.
  package init(of bytes: [UInt8]) { self.init(SHA256.digest(of: bytes.span)) }

  /// Whether a client states that it has this version, or any.
  package func isNamed(in fields: HTTPFields) -> Bool {
    guard let asked = fields[.ifNoneMatch] else { return false }
    return asked == "*" || asked.contains(text)
  }
}

extension Response {
  /// 304: the client's cached version is current.
  package static func notModified(_ tag: EntityTag) -> Response {
    var response = Response(.notModified)
    response.markKept(tag)
    return response
  }

  /// Allows clients to cache the content, with a revalidation on each use.
  package mutating func markKept(_ tag: EntityTag) {
    fields.append(.etag, tag.text)
    fields.append(.cacheControl, "no-cache")
  }
}
