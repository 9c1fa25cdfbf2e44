/// Why an XML document can't be read, and where.
package struct XMLFault: Error, Hashable, Sendable {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int
  /// What is wrong, as sentences; nothing of the document's content stands in them.
  package let detail: String

  /// A fault at a place of the document.
  package init(line: Int, column: Int, _ detail: String) {
    self.line = line
    self.column = column
    self.detail = detail
  }
}
