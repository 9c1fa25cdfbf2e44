/// Limits on the resources that reading a zip uses.
package struct ZipLimits: Sendable {
  /// The maximum size in bytes of all entries after inflating.
  package let inflatedBytesMax: Int
  /// The maximum factor by which inflating may expand a zip; deflate allows 1032.
  package let inflationMax: Int
  /// The maximum number of wanted files.
  package let filesMax: Int
  /// The inflated bytes from which the expansion is checked.
  static let inflationSlackBytes = 4 * 1024 * 1024
  /// The maximum size in bytes of a name.
  static let nameBytesMax = 1024

  /// Limits on size, expansion and number of files.
  package init(inflatedBytesMax: Int, inflationMax: Int, filesMax: Int) {
    self.inflatedBytesMax = inflatedBytesMax
    self.inflationMax = inflationMax
    self.filesMax = filesMax
  }
}
