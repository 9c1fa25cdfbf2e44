extension String {
  /// The same with nothing in it that a mail program takes for an address of the web: behind a
  /// point, a colon, a slash or an at sign that has something behind it comes a space.
  package var unlinked: String {
    var result = ""
    var isBehindSign = false
    for scalar in unicodeScalars {
      if isBehindSign, !scalar.properties.isWhitespace { result.append(" ") }
      result.unicodeScalars.append(scalar)
      isBehindSign = ".:/@\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains(scalar)
    }
    return result
  }
}
