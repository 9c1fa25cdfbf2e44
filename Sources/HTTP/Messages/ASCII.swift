/// The character classes of the HTTP grammar, as bit sets instead of tables.
package enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  /// The space.
  package static let space: UInt8 = 0x20
  static let colon: UInt8 = 0x3A

  /// `tchar` of RFC 9110, section 5.6.2: letters, digits and !#$%&'*+-.^_`|~
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    isMember(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
  }

  /// Bytes allowed in a field value (RFC 9110, section 5.5): tab, space, visible characters and
  /// bytes over 127, but no other control character.
  @inline(__always)
  static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == tab
  }

  /// A visible ASCII character, 0x21 to 0x7E.
  @inline(__always)
  static func isVisible(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5E }

  /// `unreserved` of RFC 3986, section 2.3: letters, digits and -._~
  @inline(__always)
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    isMember(byte, low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Converts ASCII capitals to lower case; returns every other byte unchanged.
  @inline(__always)
  package static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// The value of a hexadecimal digit, or nil.
  @inline(__always)
  package static func hexadecimal(_ byte: UInt8) -> UInt8? {
    if byte &- 0x30 < 10 { return byte &- 0x30 }
    let letter = byte | 0x20
    return letter &- 0x61 < 6 ? letter &- 0x61 &+ 10 : nil
  }

  @inline(__always)
  private static func isMember(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
    guard byte < 128 else { return false }
    return ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 == 1
  }
}
