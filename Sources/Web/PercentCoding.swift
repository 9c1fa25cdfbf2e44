import HTTP

/// Percent-encoding (RFC 3986, section 2.1) with strict decoding.
package enum PercentCoding {
  /// The decoded text, or nil if a `%` lacks its two digits, or the result is not UTF-8 or contains
  /// a control character other than tab and line ends.
  package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      var byte = bytes[index]
      if byte == 0x25 {
        guard index + 2 < bytes.endIndex, let high = ASCII.hexadecimal(bytes[index + 1]),
          let low = ASCII.hexadecimal(bytes[index + 2])
        else { return nil }
        byte = high << 4 | low
        index += 2
      } else if byte == 0x2B, plusIsSpace {
        byte = ASCII.space
      }
      let isControl = byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
      guard !isControl, byte != 0x7F else { return nil }
      decoded.append(byte)
      index += 1
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// Encodes all characters except the unreserved ones.
  package static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if ASCII.isUnreserved(byte) {
        encoded.append(byte)
      } else {
        encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
