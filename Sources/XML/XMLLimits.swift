/// Limits on an XML document.
package struct XMLLimits: Sendable {
  /// Maximum size of the document, in bytes.
  package let documentBytesMax: Int
  /// Maximum number of elements.
  package let elementsMax: Int
  /// Maximum size of a start tag with all its attributes, in bytes.
  package static let tagBytesMax = 64 * 1024
  /// Maximum size of a comment or other markup that must be parsed as a whole, in bytes.
  package static let markupBytesMax = 256 * 1024
  /// Maximum size of the prolog, including the document type declaration, in bytes.
  package static let prologBytesMax = 256 * 1024
  /// Maximum nesting depth of elements.
  package static let depthMax = 32
  /// Maximum number of different attribute names in a document.
  package static let attributeNamesMax = 512

  /// Limits with this size and number of elements.
  package init(documentBytesMax: Int, elementsMax: Int) {
    self.documentBytesMax = documentBytesMax
    self.elementsMax = elementsMax
  }
}
