import Domain
import JSON
import PublicAPI
import Services

/// A search for a runner by one known property (RUN-7).
enum SoughtRunner: Hashable, Sendable {
  /// By the name that the runner chose for the run, or the number.
  case name(String)
  /// By the full name, if the runner allows it.
  case fullName(FullName)
  /// By email or fiscal code.
  case known(SingleRequestAddressee)

  /// The largest number of runners in one search.
  static let countMax = 20

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

extension SoughtRunner: JSONReadable {
  /// Reads an object with exactly one of the fields.
  init(from reader: inout JSONReader) throws(JSONError) {
    var name: String?
    var fullName: FullName?
    var email: EmailAddress?
    var fiscalCode: FiscalCode?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name": name = try reader.string(of: 1...RunnerName.lengthMax)
      case "fullName":
        fullName = try reader.read { (text) throws(NameError) in try FullName(text) }
      case "email":
        email = try reader.parsed { (text) throws(EmailAddressError) in
          try EmailAddress(utf8: text)
        }
      case "fc":
        fiscalCode = try reader.parsed { (text) throws(FiscalCodeError) in
          try FiscalCode(utf8: text)
        }
      default: break
      }
    }
    let given = [name != nil, fullName != nil, email != nil, fiscalCode != nil]
    guard given.count(where: { $0 }) == 1 else {
      throw reader.refusal("Give exactly one of name, fullName, email and fc of each runner.")
    }
    if let name {
      self = .name(name)
      return
    }
    if let fullName {
      self = .fullName(fullName)
      return
    }
    do throws(SingleRequestTermsError) {
      self = .known(try SingleRequestAddressee(email: email, fiscalCode: fiscalCode))
    } catch {
      throw reader.refusal(error.description)
    }
  }
}
