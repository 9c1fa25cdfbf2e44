import JSON
import Zip

/// Why an export can't be read, and where: the whole import fails and nothing is stored.
package struct ImportFault: Error, Hashable, Sendable {
  /// The line of the document, counted from 1; 0 if the zip around it is at fault. In a zip that
  /// was cut off within the document, the line reached.
  package let line: Int
  /// The column in characters, counted from 1; 0 as for `line`.
  package let column: Int
  /// The fault, as sentences that contain nothing of the file's content.
  package let detail: String

  /// A fault at a place of the document.
  package init(line: Int, column: Int, _ detail: String) {
    self.line = line
    self.column = column
    self.detail = detail
  }

  /// A fault of the zip, which has no lines.
  package static func zip(_ detail: String) -> ImportFault {
    ImportFault(line: 0, column: 0, detail)
  }
}

extension ImportFault {
  /// The fault of a zip, which has no lines.
  init(_ fault: ZipFault) { self = .zip(fault.detail) }

  /// The fault of a document in JSON.
  init(_ fault: JSONFault) {
    self.init(line: fault.line, column: fault.column, fault.detail)
  }
}

extension ImportFault: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var line = 0
    var column = 0
    var detail = ""
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "line": line = Int(try reader.integer())
      case "column": column = Int(try reader.integer())
      case "detail": detail = try reader.string()
      default: break
      }
    }
    self.init(line: line, column: column, detail)
  }

  /// Writes the member `error` of an import.
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("line", line)
      $0.field("column", column)
      $0.field("detail", detail)
    }
  }
}
