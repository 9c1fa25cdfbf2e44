/// Which columns of a CSV file say what (RFC 4180, a record a line).
struct RecordingColumns {
  private let time: Int
  private let type: Int
  private let value: Int

  /// Reads the heading.
  ///
  /// - Throws: where it names not all of the columns.
  init(_ heading: Substring) throws(RecordingFault) {
    let names = try Self.fields(of: heading)
    guard let time = names.firstIndex(of: "timestamp"),
      let type = names.firstIndex(of: "dataType"), let value = names.firstIndex(of: "value")
    else {
      throw RecordingFault(
        sentence: "The first line of CSV names the columns timestamp, dataType and value.")
    }
    (self.time, self.type, self.value) = (time, type, value)
  }

  /// Reads a line.
  ///
  /// - Throws: what is wrong with it.
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
