/// An error in a JSON document that arrives in pieces, with its position.
package struct JSONFault: Error, Hashable, Sendable {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int
  /// A description in full sentences, without any content of the document.
  package let detail: String
}
