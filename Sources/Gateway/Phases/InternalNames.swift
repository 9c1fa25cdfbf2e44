import HTTP
import Web

/// Recognises the names of our internal fields in every spelling that some program might accept:
/// other cases, `_` instead of `-`, no separators, or additional ones.
package enum InternalNames {
  private static let stem: StaticString = "xtrackme"

  /// Whether a field of this name must be removed from requests and responses.
  package static func isInternal(_ name: Span<UInt8>) -> Bool {
    var matched = 0
    for index in name.indices {
      let byte = name[index]
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") {
        continue
      }
      // SAFETY: `matched` is below the length of the static string.
      let expected = unsafe stem.utf8Start[matched]
      guard ASCII.lowercased(byte) == expected else { return false }
      matched += 1
      if matched == stem.utf8CodeUnitCount { return true }
    }
    return false
  }
}

/// The fields named in `Connection` (RFC 9110, section 7.6.1).
enum ConnectionField {
  /// The names other than `close` and `keep-alive`, in lower case. Allocates nothing where there
  /// are none.
  static func namedFields(of fields: HTTPFields) -> [[UInt8]] {
    guard fields.contains(.connection) else { return [] }
    var names: [[UInt8]] = []
    fields.forEach(named: .connection) { value in
      guard !value.equalsIgnoringCase("keep-alive"), !value.equalsIgnoringCase("close") else {
        return
      }
      for piece in Array(copying: value).split(separator: UInt8(ascii: ",")) {
        names.append(piece.filter { $0 != 0x20 && $0 != 0x09 }.map(ASCII.lowercased))
      }
    }
    return names
  }
}

/// The query parameter `authToken`, which is not forwarded.
enum QueryToken {
  private static let name = "authToken"

  /// Whether the query contains the parameter.
  static func isPresent(in query: Query?) -> Bool { query?[name] != nil }

  /// The target without the parameter.
  static func removed(from head: RequestHead) -> [UInt8] {
    guard let query = head.query else { return head.target }
    let kept = query.split(separator: UInt8(ascii: "&")).filter { piece in
      let written = piece.prefix { $0 != UInt8(ascii: "=") }
      return PercentCoding.decode(written, plusIsSpace: true) != name
    }
    guard !kept.isEmpty else { return Array(head.path) }
    return Array(head.path) + [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")])
  }
}
