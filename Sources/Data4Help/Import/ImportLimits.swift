import XML

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
  /// Bytes of one text of a JSON document.
  package static let textBytesMax = 64 * 1024
  /// How deep values of a JSON document lie in one another.
  package static let depthMax = 32
  /// The limits of an XML document.
  static let xml = XMLLimits(documentBytesMax: documentBytesMax, elementsMax: 500_000_000)
  /// Types of which skipped records are counted apart; what comes after is counted as `other`.
  package static let skippedTypesMax = 200
}
