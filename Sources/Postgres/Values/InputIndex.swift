/// The index of the statement's input element that a row belongs to, encoded as the number of `WITH
/// ORDINALITY`, which counts from 1.
package struct InputIndex: Hashable, Sendable, PostgresValue {
  /// The index of the element, from 0.
  package let index: Int

  /// int8.
  package static var postgresType: PostgresType { .int8 }

  /// The number, from 1.
  package func encode(into bytes: inout [UInt8]) {
    Int64(index + 1).appendBigEndian(to: &bytes)
  }

  /// Throws `PostgresError.unexpectedResult` for a number below 1.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> InputIndex {
    let number = try Int64.bigEndian(exactly: bytes)
    guard number >= 1 else { throw .unexpectedResult("the number of a row is below 1") }
    return InputIndex(index: Int(number - 1))
  }
}

extension MutableCollection where Index == Int {
  /// The input element that a row belongs to.
  package subscript(input: InputIndex) -> Element {
    get { self[input.index] }
    set { self[input.index] = newValue }
    _modify { yield &self[input.index] }
  }
}
