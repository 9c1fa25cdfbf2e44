/// Whether two programs can read a path differently.
///
/// The gateway decides by a path and the service behind it acts by it: where normalising (RFC 3986,
/// section 6.2.2) would change anything, the request is refused instead of guessed at.
package enum CanonicalPath {
  /// Whether the path is absolute, of `pchar` only, without empty segments and dots as segments,
  /// and percent-encoded only where it must be: capital digits, no encoded unreserved character,
  /// slash, backslash or control.
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

  /// Whether `%` and these two digits are in normal form and stand for something that has to be
  /// encoded and is no trap.
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
