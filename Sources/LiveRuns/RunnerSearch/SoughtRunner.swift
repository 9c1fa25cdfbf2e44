import Domain
import PublicAPI

extension SoughtRunner {
  /// Whether two names match, ignoring case.
  static func isName(_ name: String, of other: String) -> Bool {
    name == other || name.lowercased() == other.lowercased()
  }

  /// The text of the search, which is the only name in an answer about a runner found by full name,
  /// email or fiscal code.
  var text: String? {
    switch self {
    case .name: nil
    case .fullName(let name): name.text
    case .known(.email(let email)): email.text
    case .known(.fiscalCode(let code)): code.text
    }
  }
}
