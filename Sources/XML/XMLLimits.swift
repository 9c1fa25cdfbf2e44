/// What an XML document may cost whoever reads it.
package struct XMLLimits: Sendable {
  /// Bytes of the document.
  package let documentBytesMax: Int
  /// Elements of the document.
  package let elementsMax: Int
  /// Bytes of one start tag with all its attributes.
  package static let tagBytesMax = 64 * 1024
  /// Bytes of a comment or another piece of markup that has to be seen whole.
  package static let markupBytesMax = 256 * 1024
  /// Bytes before the root element, the document type declaration included.
  package static let prologBytesMax = 256 * 1024
  /// How deep elements lie in one another.
  package static let depthMax = 32
  /// Different names of attributes in a document.
  package static let attributeNamesMax = 512

  /// Limits of a document of this size.
  package init(documentBytesMax: Int, elementsMax: Int) {
    self.documentBytesMax = documentBytesMax
    self.elementsMax = elementsMax
  }
}
