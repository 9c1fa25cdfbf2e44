extension String {
  /// The text for use between quotation marks: its double quotation marks are replaced by
  /// apostrophes, so that a name can't end its quotation and forge the text after it.
  package var quotable: String {
    let marks = "\"«»“”„‟″‶❝❞〝〞〟＂".unicodeScalars
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars { result.append(marks.contains(scalar) ? "'" : scalar) }
    return String(result)
  }
}
