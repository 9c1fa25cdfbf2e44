import HTTP
import Web

/// Which of two media types a client prefers.
package enum MediaPreference {
  /// Whether the client prefers a page to JSON.
  package static func prefersHTML(_ request: Request) -> Bool { prefersHTML(request.head.fields) }

  /// Whether the sender of these fields prefers a page to JSON.
  package static func prefersHTML(_ fields: HTTPFields) -> Bool {
    fields[.accept].map(prefersHTML) ?? false
  }

  /// Whether an `Accept` header (RFC 9110, 12.5.1) prefers `text/html` to `application/json`; equal
  /// preference, as in `*/*`, selects JSON.
  private static func prefersHTML(_ accept: String) -> Bool {
    quality(of: "text/html", in: accept) > quality(of: "application/json", in: accept)
  }

  /// The quality, in thousandths, of the most specific range that covers a type.
  private static func quality(of type: String, in accept: String) -> Int {
    let general = type.prefix { $0 != "/" } + "/*"
    var best = (precedence: 0, quality: 0)
    for element in accept.lowercased().split(separator: ",") {
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let range = parts.first else { continue }
      let precedence =
        range == type ? 3 : range == String(general) ? 2 : range == "*/*" ? 1 : 0
      guard precedence > best.precedence else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      best = (precedence, weight.map { thousandths($0.dropFirst(2)) } ?? 1000)
    }
    return best.quality
  }

  /// `0.5` as 500; a malformed weight counts as 0.
  private static func thousandths(_ text: Substring) -> Int {
    let digits = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = Int(digits[0]), (0...1).contains(whole), digits.count <= 2 else { return 0 }
    let fraction = digits.count == 2 ? digits[1].prefix(3) : ""
    let padded = fraction + String(repeating: "0", count: 3 - fraction.count)
    return min(1000, whole * 1000 + (Int(padded) ?? 0))
  }
}
