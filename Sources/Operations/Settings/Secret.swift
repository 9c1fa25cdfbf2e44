/// A text that must never be shown: its description is a mask, and no log field accepts it.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The plain text, for the call that needs it.
  package let revealed: String

  /// Wraps `text`.
  package init(_ text: String) {
    revealed = text
  }

  /// Always the mask.
  package var description: String { "***" }

  /// Always the mask.
  package var debugDescription: String { "***" }

  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Masks the password of every URL in `text`.
func maskingURLPasswords(_ text: String) -> String {
  guard let scheme = text.firstRange(of: "://") else { return text }
  let rest = text[scheme.upperBound...]
  let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  var masked = maskingPasswordParameters(String(rest[authority.endIndex...]))
  if let at = authority.lastIndex(of: "@"),
    let colon = authority[..<at].firstIndex(of: ":")
  {
    masked = authority[..<colon] + ":***" + authority[at...] + masked
  } else {
    masked = authority + masked
  }
  return text[..<scheme.upperBound] + masked
}

/// libpq also accepts `?password=…`; tile servers expect `?key=…`, `?apikey=…` or
/// `?access_token=…`.
private func maskingPasswordParameters(_ text: String) -> String {
  guard let query = text.firstIndex(of: "?") else { return text }
  let parameters = text[text.index(after: query)...].split(
    separator: "&", omittingEmptySubsequences: false
  )
  .map { parameter in
    let name = parameter.prefix { $0 != "=" }
    // Not every name with "key" is a secret: libpq's sslkey is a path.
    let isSecret =
      name.lowercased().contains("password")
      || ["key", "apikey", "api_key", "token", "access_token"].contains(name.lowercased())
    return isSecret ? "\(name)=***" : String(parameter)
  }
  return text[...query] + parameters.joined(separator: "&")
}
