import HTTP

/// Tests whether a path is in normal form, so that all programs interpret it in the same way.
///
/// The gateway authorises a path and the service acts on it. If normalising the path (RFC 3986,
/// section 6.2.2) would change it, the request is refused, because the two might differ.
package enum CanonicalPath {
  /// Whether the path is absolute, has only `pchar` characters, no empty segments and no dot
  /// segments, and is percent-encoded only where required: upper-case digits, and no encoded
  /// unreserved character, slash, backslash or control character.
  package static func isCanonical(_ path: ArraySlice<UInt8>) -> Bool {
    isCanonical(path.span)
  }

  private static func isCanonical(_ path: Span<UInt8>) -> Bool {
    guard path.count > 0, path[0] == 0x2F else { return false }
    var index = 1
    var segmentStart = 1
    while index < path.count {
      let byte = path[index]
      if byte == 0x2F {
        guard index > segmentStart, !isDots(path, segmentStart, index) else { return false }
        segmentStart = index + 1
      } else if byte == 0x25 {
        guard index + 2 < path.count, isNeeded(path[index + 1], path[index + 2]) else {
          return false
        }
        index += 2
      } else {
        guard isPathCharacter(byte) else { return false }
      }
      index += 1
    }
    return !isDots(path, segmentStart, path.count)
  }

  private static func isDots(_ path: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    switch end - start {
    case 1: path[start] == 0x2E
    case 2: path[start] == 0x2E && path[start + 1] == 0x2E
    default: false
    }
  }

  /// Whether `%` with these two digits is in normal form and encodes a character that must be
  /// encoded and is not dangerous (slash, backslash, control).
  private static func isNeeded(_ first: UInt8, _ second: UInt8) -> Bool {
    let isCapital = first &- 0x61 >= 6 && second &- 0x61 >= 6
    guard isCapital, let high = ASCII.hexadecimal(first), let low = ASCII.hexadecimal(second)
    else { return false }
    let byte = high << 4 | low
    return !ASCII.isUnreserved(byte) && byte >= 0x20 && byte != 0x7F && byte != 0x2F
      && byte != 0x5C
  }

  /// Unreserved characters, sub-delims, `:` and `@`, as two sets of 64 bits.
  private static func isPathCharacter(_ byte: UInt8) -> Bool {
    guard byte < 128 else { return false }
    let members: UInt64 = byte < 64 ? 0x2FFF_7FD2_0000_0000 : 0x47FF_FFFE_87FF_FFFF
    return members >> UInt64(byte & 63) & 1 == 1
  }
}
