/// The prolog of a document. It is scanned here, so that the XML parser never sees a document type
/// declaration.
///
/// Apple's own declaration (an internal subset of ELEMENT and ATTLIST) is replaced by blanks, which
/// preserves lines and columns: it contains nothing that we need, and several versions of iOS 16
/// wrote one that is not well-formed. Since the parser never sees a declaration, no entity can be
/// defined. Documents that try to (ENTITY, a parameter entity, an external identifier) are refused
/// nevertheless, and so is any encoding other than UTF-8.
struct XMLProlog {
  private let bytes: [UInt8]
  private var index = 0
  private var declaration: Range<Int>?

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Scans the beginning of a document, and returns it without its document type declaration; nil
  /// if the root element has not been reached yet.
  ///
  /// - Throws: if the prolog is longer than `XMLLimits.prologBytesMax` or not acceptable, or if the
  ///   document ends within it.
  static func blanked(
    _ bytes: [UInt8], isLast: Bool
  ) throws(XMLFault) -> [UInt8]? {
    var prolog = XMLProlog(bytes)
    do throws(Stop) {
      try prolog.scan()
    } catch {
      switch error {
      case .refused(let place, let detail): throw prolog.fault(at: place, detail)
      case .needsMore where isLast:
        throw prolog.fault(at: bytes.count, "The file ends before its root element begins.")
      case .needsMore:
        guard bytes.count > XMLLimits.prologBytesMax else { return nil }
        throw prolog.fault(
          at: bytes.count, "No element begins in the first \(bytes.count) bytes.")
      }
    }
    return prolog.result()
  }

  private enum Stop: Error {
    case needsMore
    case refused(at: Int, String)
  }

  // MARK: Scanning

  private mutating func scan() throws(Stop) {
    try checkEncoding()
    if starts(with: "\u{FEFF}") { index += 3 }
    while true {
      try skipSpace()
      if starts(with: "<?") {
        try skip(past: "?>")
      } else if starts(with: "<!--") {
        index += 4
        try skip(past: "-->")
      } else if starts(with: "<!DOCTYPE") {
        guard declaration == nil else {
          throw .refused(at: index, "A document has one document type declaration at most.")
        }
        try scanDeclaration()
      } else if isPrefixOfMarkup {
        throw .needsMore
      } else {
        return
      }
    }
  }

  /// Detects UTF-16 and UTF-32 by a byte order mark or a zero in the first bytes.
  private func checkEncoding() throws(Stop) {
    guard bytes.count >= 4 else { throw .needsMore }
    let isOther =
      bytes[0] >= 0xFE || bytes[1] == 0xFE || bytes[1] == 0xFF || bytes[0] == 0 || bytes[1] == 0
    if isOther { throw .refused(at: 0, "The document is not written in UTF-8.") }
  }

  private mutating func scanDeclaration() throws(Stop) {
    let start = index
    index += 9
    while true {
      guard index < bytes.count else { throw .needsMore }
      switch bytes[index] {
      case UInt8(ascii: ">"):
        index += 1
        declaration = start..<index
        return
      case UInt8(ascii: "["):
        index += 1
        try scanSubset()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        throw .refused(at: start, Self.external)
      case UInt8(ascii: "<"):
        throw .refused(at: index, "The document type declaration does not end.")
      case UInt8(ascii: "S") where starts(with: "SYSTEM ") || starts(with: "SYSTEM\n"),
        UInt8(ascii: "P") where starts(with: "PUBLIC ") || starts(with: "PUBLIC\n"):
        throw .refused(at: start, Self.external)
      default: index += 1
      }
    }
  }

  private static let external =
    "The document type declaration has an external identifier, which is not read."

  /// Scans an internal subset up to and including its `]`, without checking its grammar.
  private mutating func scanSubset() throws(Stop) {
    var isInDeclaration = false
    while true {
      guard index < bytes.count else { throw .needsMore }
      switch bytes[index] {
      case UInt8(ascii: "]"):
        index += 1
        return
      case UInt8(ascii: "%"):
        throw .refused(at: index, "The document type declaration holds a parameter entity.")
      case UInt8(ascii: "<"):
        isInDeclaration = try scanMarkup()
      case UInt8(ascii: ">"):
        isInDeclaration = false
        index += 1
      case let quote where isInDeclaration && (quote == 0x22 || quote == 0x27):
        index += 1
        while index < bytes.count, bytes[index] != quote { index += 1 }
        guard index < bytes.count else { throw .needsMore }
        index += 1
      default: index += 1
      }
    }
  }

  /// Skips a comment or processing instruction, or enters a declaration (returns true).
  private mutating func scanMarkup() throws(Stop) -> Bool {
    guard index + 10 <= bytes.count else { throw .needsMore }
    if starts(with: "<!--") {
      index += 4
      try skip(past: "-->")
      return false
    }
    if starts(with: "<?") {
      try skip(past: "?>")
      return false
    }
    if starts(with: "<!ENTITY") {
      throw .refused(at: index, "The document type declaration declares an entity.")
    }
    if starts(with: "<!NOTATION") || starts(with: "<![") {
      throw .refused(
        at: index, "The document type declaration has a notation or a conditional section.")
    }
    guard starts(with: "<!") else {
      throw .refused(at: index, "The document type declaration holds an element.")
    }
    index += 2
    return true
  }

  // MARK: Bytes

  private func starts(with text: StaticString) -> Bool {
    let text = text.description.utf8
    return index + text.count <= bytes.count && bytes[index...].starts(with: text)
  }

  /// Whether the remaining bytes could be the beginning of a comment or declaration.
  private var isPrefixOfMarkup: Bool {
    let rest = bytes[index...].prefix(9)
    return ["<!DOCTYPE", "<!--", "<?"].contains { $0.utf8.starts(with: rest) }
  }

  private mutating func skipSpace() throws(Stop) {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    guard index < bytes.count else { throw .needsMore }
  }

  private mutating func skip(past end: StaticString) throws(Stop) {
    while !starts(with: end) {
      guard index < bytes.count else { throw .needsMore }
      index += 1
    }
    index += end.utf8CodeUnitCount
  }

  // MARK: Results

  /// The bytes with the declaration replaced by one blank per character; line ends are kept.
  private func result() -> [UInt8] {
    guard let declaration else { return bytes }
    var result = Array(bytes[..<declaration.lowerBound])
    for byte in bytes[declaration] where byte & 0xC0 != 0x80 {
      result.append(byte == 0x0A || byte == 0x0D ? byte : 0x20)
    }
    result.append(contentsOf: bytes[declaration.upperBound...])
    return result
  }

  private func fault(at place: Int, _ detail: String) -> XMLFault {
    var line = 1
    var column = 1
    for index in 0..<min(place, bytes.count) {
      let byte = bytes[index]
      if byte == 0x0A || byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A) {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return XMLFault(line: line, column: column, detail)
  }
}
