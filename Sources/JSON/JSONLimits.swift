/// Limits on the texts that a reader accepts.
///
/// A value at a limit is accepted; a value above it is refused with a `JSONError`.
package struct JSONLimits: Sendable, Equatable {
  /// Length of the whole text in bytes.
  package var bytesMax: Int
  /// Nesting depth of objects and arrays.
  package var depthMax: Int
  /// Length of one string or field name, in bytes as written between its quotes.
  package var stringBytesMax: Int
  /// Length of one number, in bytes as written.
  package var numberBytesMax: Int

  /// The limits of the public API: 1 MiB, nesting 32, strings of 65,536 bytes, numbers of 400.
  ///
  /// Schemas set lower limits for strings, by default 500 characters.
  package init(
    bytesMax: Int = 1_048_576, depthMax: Int = 32, stringBytesMax: Int = 65_536,
    numberBytesMax: Int = 400
  ) {
    self.bytesMax = bytesMax
    self.depthMax = depthMax
    self.stringBytesMax = stringBytesMax
    self.numberBytesMax = numberBytesMax
  }
}
