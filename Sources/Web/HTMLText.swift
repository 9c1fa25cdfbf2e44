/// Escapes text for HTML.
package enum HTMLText {
  /// Escapes a text for the content of an element or a double-quoted attribute value (HTML Living
  /// Standard, 13.3: "escaping a string").
  ///
  /// Works on Unicode scalars, as browsers do: a quotation mark followed by a combining accent is a
  /// `Character` different from the quotation mark.
  package static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
