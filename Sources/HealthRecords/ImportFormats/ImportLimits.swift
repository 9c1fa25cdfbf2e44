import XML
import Zip

/// Limits on the resources that reading an export uses; each is far above Apple's real exports.
package enum ImportLimits {
  /// The maximum size in bytes of a document after inflating: four times the largest upload.
  package static let documentBytesMax = 16 * 1024 * 1024 * 1024
  /// The maximum number of points of a JSON metric kept until its name is known: a year of minutes,
  /// in some 12 MB.
  package static let parkedPointsMax = 530_000
  /// The limits of a zip: exports expand about 25 times.
  static let zip = ZipLimits(
    inflatedBytesMax: documentBytesMax, inflationMax: 250, filesMax: 10_000)
  /// The limits of an XML document.
  static let xml = XMLLimits(documentBytesMax: documentBytesMax, elementsMax: 500_000_000)
  /// The number of types whose skipped records are counted separately; further types count as
  /// `other`.
  package static let skippedTypesMax = 200
}
