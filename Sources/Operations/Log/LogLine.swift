import Bytes
import Time

extension LogLevel {
  /// The level of a line that a log has written; nil for other text.
  package init?(ofLine line: ArraySlice<UInt8>) {
    let level = line.dropFirst(LogLine.timeEnd)
    let label = "\",\"level\":\"".utf8
    guard line.starts(with: LogLine.opening.utf8), level.starts(with: label) else { return nil }
    let word = level.dropFirst(label.count)
    guard let found = Self.allCases.first(where: { word.starts(with: $0.rawValue.utf8) }) else {
      return nil
    }
    self = found
  }
}

/// One log line as a JSON object (RFC 8259), always on a single line.
enum LogLine {
  /// Longer texts are truncated, so that a line stays below the 4 KiB that a pipe writes
  /// atomically.
  static let textBytesMax = 512

  /// The beginning of every line, and where the time after it ends, whose length is fixed.
  fileprivate static let opening = "{\"time\":\""
  fileprivate static let timeEnd = opening.utf8.count + 27

  static func render(
    level: LogLevel, time: Instant, process: String, requestID: RequestID?,
    message: StaticString, fields: [LogField]
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(256)
    append(opening, to: &line)
    append(time.internetText, to: &line)
    append("\",\"level\":\"", to: &line)
    append(level.rawValue, to: &line)
    append("\",\"process\":", to: &line)
    appendQuoted(process.utf8, to: &line)
    append(",\"message\":", to: &line)
    appendQuoted(message, to: &line)
    if let requestID {
      append(",\"request_id\":", to: &line)
      appendQuoted(requestID.digits, to: &line)
    }
    for field in fields {
      line.append(0x2C)
      appendQuoted(field.name, to: &line)
      line.append(0x3A)
      append(field.value, to: &line)
    }
    append("}\n", to: &line)
    return line
  }

  private static func append(_ value: LogField.Value, to line: inout [UInt8]) {
    switch value {
    case .integer(let number): append(String(number), to: &line)
    case .decimal(let number): append(number.isFinite ? "\(number)" : "null", to: &line)
    case .flag(let flag): append(flag ? "true" : "false", to: &line)
    case .constant(let text): appendQuoted(text, to: &line)
    case .text(let text): appendQuoted(text.utf8, to: &line)
    }
  }

  private static func append(_ text: String, to line: inout [UInt8]) {
    line.append(contentsOf: text.utf8)
  }

  private static func appendQuoted(_ text: StaticString, to line: inout [UInt8]) {
    text.withUTF8Buffer { buffer in
      // SAFETY: the buffer of a static string lives as long as the program.
      unsafe appendQuoted(buffer, to: &line)
    }
  }

  /// Escapes quotes, backslashes and all control characters, including DEL, which terminals
  /// interpret.
  private static func appendQuoted(
    _ bytes: some Collection<UInt8>, to line: inout [UInt8]
  ) {
    line.append(0x22)
    for byte in bytes.prefix(end(of: bytes)) {
      switch byte {
      case 0x22, 0x5C:
        line.append(0x5C)
        line.append(byte)
      case 0x0A: append("\\n", to: &line)
      case 0x00..<0x20, 0x7F:
        append("\\u00", to: &line)
        line.append(Hexadecimal.digit(byte >> 4))
        line.append(Hexadecimal.digit(byte & 15))
      default: line.append(byte)
      }
    }
    line.append(0x22)
  }

  /// The end of a truncated text: never inside a UTF-8 sequence.
  private static func end(of bytes: some Collection<UInt8>) -> Int {
    guard bytes.count > textBytesMax else { return bytes.count }
    let kept = Array(bytes.prefix(textBytesMax + 1))
    return kept.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
  }
}
