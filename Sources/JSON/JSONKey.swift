/// The name of a field, compared byte by byte.
///
/// Not a plain `String`, because Swift treats canonically equivalent texts as equal: U+212A would
/// match `K`, and the gateway and a service could interpret one body differently.
///
/// It can be matched: `switch key { case "email": … default: break }`. Unread fields are skipped.
package struct JSONKey: Sendable, Equatable {
  /// The name, with escapes decoded.
  package let text: String

  package static func == (left: JSONKey, right: JSONKey) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Matches a name in a `case`.
  package static func ~= (name: StaticString, key: JSONKey) -> Bool {
    ByteScan.isEqual(key.text, to: name)
  }

  /// Whether the name is exactly this one.
  package static func == (key: JSONKey, name: StaticString) -> Bool {
    ByteScan.isEqual(key.text, to: name)
  }
}
