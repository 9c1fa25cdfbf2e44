import Privacy

/// A file that goes with a mail.
package struct MailAttachment: Sendable, Equatable, CustomReflectable {
  /// The name that the recipient sees.
  package let name: String
  /// Its media type, as `text/csv; charset=utf-8`.
  package let contentType: String
  /// What is in it.
  package let bytes: [UInt8]

  /// Bytes of a file at most: a mail that holds it is half a megabyte longer, which every server
  /// takes, and all of it is in memory while it is sent.
  package static let bytesMax = 1 << 20

  /// A file; nil for a name or a type of other than plain ASCII characters, for a quotation mark in
  /// the name, and for more than `bytesMax`.
  package init?(name: String, contentType: String, bytes: [UInt8]) {
    let isPlain = (name + contentType).utf8.allSatisfy { (0x20...0x7E).contains($0) }
    guard isPlain, !name.utf8.contains(UInt8(ascii: "\"")), bytes.count <= Self.bytesMax else {
      return nil
    }
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }

  /// Shows nothing.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The part of a multipart mail: its headers, an empty line, and base64 in lines of 76 characters
  /// (RFC 2045, 6.8).
  var rendered: [UInt8] {
    let head = """
      Content-Type: \(contentType)\r
      Content-Transfer-Encoding: base64\r
      Content-Disposition: attachment; filename="\(name)"\r
      \r

      """
    var part = Array(head.utf8)
    part.reserveCapacity(head.utf8.count + bytes.count * 3 / 2)
    for start in stride(from: 0, to: bytes.count, by: Self.lineBytes) {
      let line = bytes[start..<min(start + Self.lineBytes, bytes.count)]
      Base64.standard.append(line.span, to: &part)
      // Only the last line may be short of whole groups.
      for _ in 0..<((3 - line.count % 3) % 3) { part.append(UInt8(ascii: "=")) }
      part += [0x0D, 0x0A]
    }
    return part
  }

  /// Bytes that make a line of 76 characters.
  private static let lineBytes = 57
}
