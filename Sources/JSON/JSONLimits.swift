/// How much of a text the reader takes in before it refuses it.
///
/// A value exactly at a limit is accepted, one beyond it is refused with a `JSONError`.
package struct JSONLimits: Sendable, Equatable {
  /// Length of the whole text in bytes.
  package var bytesMax: Int
  /// Objects and arrays open at the same time.
  package var depthMax: Int
  /// Length of one string or field name, in bytes as written between its quotes.
  package var stringBytesMax: Int
  /// Length of one number, in bytes as written.
  package var numberBytesMax: Int

  /// The limits of the public API: 1 MiB, nesting 32, strings of 65,536 bytes, numbers of 400.
  ///
  /// Shorter strings (500 characters unless said) are the schema's to ask for.
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
