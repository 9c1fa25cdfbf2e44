import Bytes
import Cryptography

/// A file attached to a mail.
package struct MailAttachment: Sendable, Equatable, CustomReflectable {
  /// The file name shown to the recipient.
  package let name: String
  /// The media type, such as `text/csv; charset=utf-8`.
  package let contentType: String
  package let bytes: [UInt8]

  /// The most bytes of a file. Base64 adds about half a megabyte to such a mail, which mail servers
  /// accept; the whole mail is in memory while it is sent.
  package static let bytesMax = 1 << 20

  /// A file; nil if the name or the type contains anything but plain ASCII characters, if the name
  /// contains a quotation mark, or if the file exceeds `bytesMax`.
  package init?(name: String, contentType: String, bytes: [UInt8]) {
    let isPlain = (name + contentType).utf8.allSatisfy { (0x20...0x7E).contains($0) }
    guard isPlain, !name.utf8.contains(UInt8(ascii: "\"")), bytes.count <= Self.bytesMax else {
      return nil
    }
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }

  /// Hides the content.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The part of a multipart mail: headers, an empty line, and base64 in lines of 76 characters
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
      // Only the last line may be shorter than a multiple of three bytes.
      for _ in 0..<((3 - line.count % 3) % 3) { part.append(UInt8(ascii: "=")) }
      part += [0x0D, 0x0A]
    }
    return part
  }

  /// Input bytes that encode to a line of 76 characters.
  private static let lineBytes = 57
}
