extension String {
  /// The same text without anything that a mail program recognises as a web address: a point,
  /// colon, slash or at sign that is followed by another character gets a space after it.
  package var unlinked: String {
    var result = ""
    var isAfterSign = false
    for scalar in unicodeScalars {
      if isAfterSign, !scalar.properties.isWhitespace { result.append(" ") }
      result.unicodeScalars.append(scalar)
      isAfterSign = ".:/@\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains(scalar)
    }
    return result
  }
}
