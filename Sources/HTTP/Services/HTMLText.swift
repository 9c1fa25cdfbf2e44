/// Text within HTML.
package enum HTMLText {
  /// The text as the content of an element, or as the value of an attribute in double quotes
  /// (HTML Living Standard, 13.3: "escaping a string").
  ///
  /// Goes by scalars as a browser does: to a `Character`, a quote with an accent behind it is
  /// another one than a quote.
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
