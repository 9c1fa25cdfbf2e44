/// Finds the field that contains a byte, by reading the text again up to that byte.
///
/// Used only for errors, so that the reader need not maintain a path. The reader has accepted the
/// text before the byte; invalid text is tolerated and results in a shorter path.
struct FieldPath {
  private enum Level {
    case array(index: Int)
    case object(name: Range<Int>?)
  }

  private let bytes: [UInt8]
  private let end: Int
  private var levels: [Level] = []

  private init(bytes: [UInt8], end: Int) {
    self.bytes = bytes
    self.end = end
  }

  /// The path of the value or name at `offset` in `bytes[range]`, such as `diseases[0].code`.
  static func locate(_ offset: Int, in bytes: [UInt8], range: Range<Int>) -> String {
    var path = FieldPath(bytes: bytes, end: range.upperBound)
    path.walk(from: range.lowerBound, to: offset)
    return path.text
  }

  private mutating func walk(from start: Int, to offset: Int) {
    var index = start
    while index < end, index <= offset {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        let close = endOfString(from: index + 1)
        if case .object(name: nil)? = levels.last, close < end {
          levels[levels.count - 1] = .object(name: index + 1..<close)
        }
        index = close
      } else if index < offset {
        step(byte)
      }
      index += 1
    }
  }

  private mutating func step(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): levels.append(.object(name: nil))
    case UInt8(ascii: "["): levels.append(.array(index: 0))
    case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
    case UInt8(ascii: ","):
      switch levels.popLast() {
      case .array(let index): levels.append(.array(index: index + 1))
      case .object: levels.append(.object(name: nil))
      case nil: break
      }
    default: break
    }
  }

  private func endOfString(from start: Int) -> Int {
    var index = start
    while index < end, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, end)
  }

  private var text: String {
    var result = ""
    for level in levels {
      switch level {
      case .array(let index): result += "[\(index)]"
      case .object(let name?): result = Self.join(result, shown(name))
      case .object(name: nil): break
      }
    }
    return result
  }

  /// A name as written in the text: at most 64 bytes, with unprintable characters replaced.
  private func shown(_ name: Range<Int>) -> String {
    let cut = bytes[name.prefix(64)]
    var text = ""
    for scalar in String(decoding: cut, as: UTF8.self).unicodeScalars {
      text.unicodeScalars.append(
        scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return name.count > 64 ? text + "…" : text
  }

  /// The path of a field of the object at `path`.
  static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }
}
