/// The positions of the required columns in a CSV file (RFC 4180, one record per line).
struct RecordingColumns {
  private let time: Int
  private let type: Int
  private let value: Int

  /// Reads the header line.
  ///
  /// - Throws: `RecordingFault` if a required column is missing.
  init(_ heading: Substring) throws(RecordingFault) {
    let names = try Self.fields(of: heading)
    guard let time = names.firstIndex(of: "timestamp"),
      let type = names.firstIndex(of: "dataType"), let value = names.firstIndex(of: "value")
    else {
      throw RecordingFault(
        sentence: "The first line of the CSV must name the columns timestamp, dataType and value.")
    }
    (self.time, self.type, self.value) = (time, type, value)
  }

  /// Parses a line.
  ///
  /// - Throws: the error in the line.
  func sign(in line: Substring) throws(RecordingFault) -> VitalSign {
    let fields = try Self.fields(of: line)
    guard fields.count > max(time, type, value) else {
      throw RecordingFault(sentence: "It has fewer fields than the first line.")
    }
    return try RecordingFault.sign(fields[time], fields[type], fields[value])
  }

  private static func fields(of line: Substring) throws(RecordingFault) -> [String] {
    var fields: [String] = []
    var field = ""
    var isQuoted = false
    var rest = line[...]
    while let character = rest.popFirst() {
      switch character {
      case "\"" where isQuoted && rest.first == "\"":
        rest.removeFirst()
        field.append(character)
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        fields.append(field)
        field = ""
      default: field.append(character)
      }
    }
    guard !isQuoted else { throw RecordingFault(sentence: "A quotation mark is missing.") }
    return fields + [field]
  }
}
