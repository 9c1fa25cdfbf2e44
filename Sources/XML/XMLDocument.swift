/// What the elements of an XML document are to who reads it.
package protocol XMLDocument: AnyObject {
  /// The names of the attributes that are looked at, at most eight; others are passed over.
  var attributes: [StaticString] { get }
  /// Whether text between tags is looked at.
  var readsText: Bool { get }
  /// Takes an element that begins at this depth, the root at 1; gives a sentence if the document is
  /// none of its format.
  func began(_ element: borrowing XMLElement, depth: Int) -> String?
  /// Takes a piece of text, only if `readsText`.
  func continued(_ text: Span<UInt8>)
  /// Takes the end of the element at this depth, only if `readsText`.
  func ended(depth: Int)
}
