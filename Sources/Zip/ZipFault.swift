/// Why a zip can't be read.
package struct ZipFault: Error, Hashable, Sendable {
  /// The fault, as sentences that contain nothing of the zip's content.
  package let detail: String

  init(_ detail: String) { self.detail = detail }
}
