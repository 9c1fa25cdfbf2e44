/// The content codings that a client accepts.
enum ContentCoding {
  /// Whether an `Accept-Encoding` field (RFC 9110, section 12.5.3) accepts gzip: by its name, or
  /// else by `*`, with a weight above 0.
  static func takesGzip(_ field: String) -> Bool {
    var byName: Bool?
    var byAny = false
    for element in field.lowercased().split(separator: ",") {
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      // A weight of 0 is written with any number of digits.
      let isTaken = weight.map { $0.contains { ("1"..."9").contains($0) } } ?? true
      switch parts.first {
      case "gzip", "x-gzip": byName = isTaken
      case "*": byAny = isTaken
      default: break
      }
    }
    return byName ?? byAny
  }
}
