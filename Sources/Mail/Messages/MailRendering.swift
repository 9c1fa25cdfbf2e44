import Bytes
import Operations
import Time

extension MailMessage {
  /// The mail as sent over the wire (RFC 5322): ASCII, in lines of at most 998 bytes that end in CR
  /// LF. Plain ASCII text is unchanged, other text is quoted-printable. A mail with a file has two
  /// parts (RFC 2046, 5.1).
  ///
  /// No value can start a header line of its own, because line breaks never reach a header.
  package var rendered: [UInt8] {
    var headers = [
      "Date: \(Self.date(writtenAt))",
      "From: TrackMe <\(from.text)>",
      "To: <\(to.text)>",
      "Message-ID: <\(messageID)>",
      "Subject: \(MailText.headerValue(subject))",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
    ]
    guard let attachment else { return Self.lines(headers) + textPart }
    // The author of a text does not know the identifier, so no text can contain the boundary.
    let boundary = "trackme-\(id)"
    headers.append("Content-Type: multipart/mixed; boundary=\"\(boundary)\"")
    var bytes = Self.lines(headers + ["", "--\(boundary)"]) + textPart
    bytes += Self.lines(["--\(boundary)"])
    bytes += attachment.rendered
    bytes += Self.lines(["--\(boundary)--"])
    return bytes
  }

  /// The text, preceded by the headers that name its encoding.
  private var textPart: [UInt8] {
    let isPlain = MailText.isPlain(text)
    var bytes = Self.lines([
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: \(isPlain ? "7bit" : "quoted-printable")", "",
    ])
    for line in MailText.lines(of: text) {
      if isPlain { bytes += line } else { QuotedPrintable.append(line, to: &bytes) }
      bytes += [0x0D, 0x0A]
    }
    return bytes
  }

  private static func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array($0.utf8) + [0x0D, 0x0A] }
  }

  /// A date in the format of RFC 5322 (3.3), in UTC.
  private static func date(_ time: Instant) -> String {
    let text = time.internetText
    let parts = text.split(separator: "T")
    let day = parts[0].split(separator: "-")
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let month = months[(Int(day[1]) ?? 1) - 1]
    return "\(day[2]) \(month) \(day[0]) \(parts[1].prefix(8)) +0000"
  }
}

/// Decides which text can be sent unchanged, and encodes the rest.
enum MailText {
  /// The most bytes of a line, without its line break (RFC 5322, 2.1.1).
  static let lineBytesMax = 998

  /// The lines of a text; CR LF, LF and a single CR end a line.
  static func lines(of text: String) -> [[UInt8]] {
    var lines: [[UInt8]] = [[]]
    var last: UInt8 = 0
    for byte in text.utf8 {
      if byte == 0x0D || (byte == 0x0A && last != 0x0D) {
        lines.append([])
      } else if byte != 0x0A {
        lines[lines.count - 1].append(byte)
      }
      last = byte
    }
    if lines.last == [] { lines.removeLast() }
    return lines
  }

  /// Whether a text needs no encoding: visible ASCII, spaces and tabs in lines within the limit.
  static func isPlain(_ text: String) -> Bool {
    lines(of: text).allSatisfy { line in
      line.count <= lineBytesMax && line.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
  }

  /// A header value: ASCII unchanged, other text as encoded words (RFC 2047), each of at most 75
  /// characters and on its own line.
  static func headerValue(_ text: String) -> String {
    let line = String(text.map { $0.isNewline ? " " : $0 })
    let isPlain = line.utf8.count <= 60 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    // A value that looks like an encoded word would be decoded into something else.
    if isPlain, !line.contains("=?") { return line }
    return encodedWords(line)
  }

  private static func encodedWords(_ text: String) -> String {
    var words: [String] = []
    var piece: [UInt8] = []
    for scalar in text.unicodeScalars {
      let bytes = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      // 45 bytes are 60 characters of base64, which make an encoded word of 72 characters.
      if piece.count + bytes.count > 45 {
        words.append(encodedWord(piece))
        piece = []
      }
      piece += bytes
    }
    if !piece.isEmpty || words.isEmpty { words.append(encodedWord(piece)) }
    return words.joined(separator: "\r\n ")
  }

  private static func encodedWord(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64.standard.append(bytes.span, to: &text)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return "=?utf-8?B?\(String(decoding: text, as: UTF8.self))?="
  }
}

/// Quoted-printable (RFC 2045, 6.7): ASCII stays readable, lines have at most 76 characters.
enum QuotedPrintable {
  static let lineBytesMax = 76

  /// Appends one line of text without its line break.
  static func append(_ line: [UInt8], to bytes: inout [UInt8]) {
    var column = 0
    for (index, byte) in line.enumerated() {
      let isSpace = byte == 0x20 || byte == 0x09
      let isLast = index == line.count - 1
      let isPlain =
        ((0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")) || (isSpace && !isLast)
      let width = isPlain ? 1 : 3
      if column + width > lineBytesMax - (isLast ? 0 : 1) {
        bytes += [UInt8(ascii: "="), 0x0D, 0x0A]
        column = 0
      }
      if isPlain {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "="), digit(byte >> 4), digit(byte & 15)]
      }
      column += width
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
