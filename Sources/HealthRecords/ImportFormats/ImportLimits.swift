import XML

/// Limits on the resources that reading an export uses; each is far above Apple's real exports.
package enum ImportLimits {
  /// The maximum size in bytes of a document after inflating: four times the largest upload.
  package static let documentBytesMax = 16 * 1024 * 1024 * 1024
  /// The maximum factor by which inflating may expand a zip; exports expand about 25 times, and
  /// deflate allows 1032.
  package static let inflationMax = 250
  /// The inflated bytes from which the expansion is checked.
  package static let inflationSlackBytes = 4 * 1024 * 1024
  /// The maximum number of files of one kind in a zip.
  package static let filesMax = 10_000
  /// The maximum size in bytes of a name in a zip.
  package static let entryNameBytesMax = 1024
  /// The maximum number of points of a JSON metric kept until its name is known: a year of minutes,
  /// in some 12 MB.
  package static let parkedPointsMax = 530_000
  /// The maximum size in bytes of one text in a JSON document.
  package static let textBytesMax = 64 * 1024
  /// The maximum nesting depth of a JSON document.
  package static let depthMax = 32
  /// The limits of an XML document.
  static let xml = XMLLimits(documentBytesMax: documentBytesMax, elementsMax: 500_000_000)
  /// The number of types whose skipped records are counted separately; further types count as
  /// `other`.
  package static let skippedTypesMax = 200
}
