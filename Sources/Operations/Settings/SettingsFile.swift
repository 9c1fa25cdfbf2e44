/// The settings file: `NAME=VALUE` lines, empty lines and lines that begin with `#`.
enum SettingsFile {
  struct Line: Equatable {
    let number: Int
    let name: String
    let text: String
  }

  /// Parses `bytes`. Spaces around names and values are removed; quotes have no special meaning.
  static func parse(_ bytes: [UInt8], path: String) throws(SettingsError) -> [Line] {
    var lines: [Line] = []
    let texts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, bytes) in texts.enumerated() {
      let content = trimmed(bytes)
      guard let first = content.first, first != 0x23 else { continue }
      guard let equals = content.firstIndex(of: 0x3D), equals != content.startIndex,
        let text = String(validating: trimmed(content[(equals + 1)...]), as: UTF8.self)
      else {
        throw .badLine(path: path, line: index + 1)
      }
      let name = String(decoding: trimmed(content[..<equals]), as: UTF8.self)
      lines.append(Line(number: index + 1, name: name, text: text))
    }
    return lines
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    let start = bytes.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex
    return start[..<end]
  }
}
