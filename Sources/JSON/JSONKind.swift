/// The kind of a JSON value.
package enum JSONKind: UInt8, Sendable, Equatable, CaseIterable {
  /// `{…}`
  case object
  /// `[…]`
  case array
  /// `"…"`
  case string
  /// A number, whole or not.
  case number
  /// `true` or `false`
  case boolean
  /// `null`
  case null

  /// The kind of value that begins with a byte, or nil if none does.
  init?(firstByte byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
    case UInt8(ascii: "n"): self = .null
    default: return nil
    }
  }
}
