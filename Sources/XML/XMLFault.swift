/// An error in an XML document, with its position.
package struct XMLFault: Error, Hashable, Sendable {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int
  /// A description in full sentences, without any content of the document.
  package let detail: String

  /// A fault at a position in the document.
  package init(line: Int, column: Int, _ detail: String) {
    self.line = line
    self.column = column
    self.detail = detail
  }
}
