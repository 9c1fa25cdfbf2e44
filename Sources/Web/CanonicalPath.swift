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
    guard path.first == 0x2F else { return false }
    var index = path.startIndex
    var segmentStart = index + 1
    while index < path.endIndex {
      let byte = path[index]
      switch byte {
      case 0x2F:
        if index > path.startIndex {
          guard index > segmentStart, !isDots(path[segmentStart..<index]) else { return false }
        }
        segmentStart = index + 1
      case 0x25:
        guard index + 2 < path.endIndex, isNeeded(path[index + 1], path[index + 2]) else {
          return false
        }
        index += 2
      default:
        guard isPathCharacter(byte) else { return false }
      }
      index += 1
    }
    return !isDots(path[segmentStart...])
  }

  private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
    segment.elementsEqual([0x2E]) || segment.elementsEqual([0x2E, 0x2E])
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

  /// Unreserved characters, sub-delims, `:` and `@`.
  private static func isPathCharacter(_ byte: UInt8) -> Bool {
    if ASCII.isUnreserved(byte) { return true }
    switch byte {
    case 0x21, 0x24, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x3A, 0x3B, 0x3D, 0x40: return true
    default: return false
    }
  }
}
