/// Receives the elements of an XML document.
package protocol XMLDocument: AnyObject {
  /// The names of the attributes to read, at most eight; others are ignored.
  var attributes: [StaticString] { get }
  /// Whether text between tags is reported.
  var readsText: Bool { get }
  /// Receives the start of an element at this depth, with the root at 1; returns a sentence if the
  /// document does not have the expected format.
  func began(_ element: borrowing XMLElement, depth: Int) -> String?
  /// Receives a piece of text, only if `readsText`.
  func continued(_ text: Span<UInt8>)
  /// Receives the end of the element at this depth, only if `readsText`.
  func ended(depth: Int)
}
