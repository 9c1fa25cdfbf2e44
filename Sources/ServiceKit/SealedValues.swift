import Cryptography
import JSON

extension SealingKey {
  /// Seals a value as its JSON text.
  package func sealJSON(of value: some JSONWritable, for context: SealContext) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value)
    return seal(writer.bytes.span, for: context)
  }

  /// Opens a value that was sealed as its JSON text.
  ///
  /// - Throws: the errors of `open`; malformed text counts as changed.
  package func openJSON<Value: JSONReadable>(
    _ type: Value.Type, _ sealed: Span<UInt8>, for context: SealContext
  ) throws(CryptographyError) -> Value {
    let bytes = try open(sealed, for: context)
    do throws(JSONError) { return try JSONReader.read(type, from: bytes) } catch {
      throw .sealedValueRefused
    }
  }
}
