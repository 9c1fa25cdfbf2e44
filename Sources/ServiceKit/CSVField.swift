/// A text as a field of a CSV file.
package enum CSVField {
  /// Appends the text, quoted if it contains a character that ends a field (RFC 4180, section 2).
  ///
  /// A text that begins with `=`, `+`, `-`, `@`, a tab or a line end gets a leading apostrophe,
  /// because spreadsheets would read it as a formula.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = text.utf8
    let isFormula = utf8.first.map { formulaStarts.contains($0) } ?? false
    let needsQuotes = utf8.contains { separators.contains($0) }
    if needsQuotes { bytes.append(quote) }
    if isFormula { bytes.append(UInt8(ascii: "'")) }
    for byte in utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    if needsQuotes { bytes.append(quote) }
  }

  private static let quote = UInt8(ascii: "\"")
  private static let formulaStarts = Array("=+-@\t\r\n".utf8)
  private static let separators = Array(",\"\r\n".utf8)
}
