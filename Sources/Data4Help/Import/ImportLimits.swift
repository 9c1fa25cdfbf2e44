/// What an export may cost whoever reads it; every limit is far above what Apple's exports need.
package enum ImportLimits {
  /// Bytes of a document at most, after inflating: four times the greatest upload.
  package static let documentBytesMax = 16 * 1024 * 1024 * 1024
  /// How many times a zip may grow when it is inflated; exports grow about 25 times, and deflate
  /// allows 1032.
  package static let inflationMax = 250
  /// Bytes that are inflated before the growth is looked at.
  package static let inflationSlackBytes = 4 * 1024 * 1024
  /// Files of one kind in a zip.
  package static let filesMax = 10_000
  /// Bytes of a name in a zip.
  package static let entryNameBytesMax = 1024
  /// Points of a JSON metric that wait for its name: a year of minutes, in some 12 MB.
  package static let parkedPointsMax = 530_000
  /// Bytes of one start tag with all its attributes, or of one text of a JSON document.
  package static let tagBytesMax = 64 * 1024
  /// Bytes of a comment or another piece of markup that has to be seen whole.
  package static let markupBytesMax = 256 * 1024
  /// Bytes before the root element, the document type declaration included.
  package static let prologBytesMax = 256 * 1024
  /// How deep elements lie in one another.
  package static let depthMax = 32
  /// Elements of a document.
  package static let elementsMax = 500_000_000
  /// Different names of attributes in a document.
  package static let attributeNamesMax = 512
  /// Types of which skipped records are counted apart; what comes after is counted as `other`.
  package static let skippedTypesMax = 200
}
