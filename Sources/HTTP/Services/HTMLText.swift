/// Text within HTML.
package enum HTMLText {
  /// The text as the content of an element, or as the value of an attribute in double quotes
  /// (HTML Living Standard, 13.3: "escaping a string").
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
