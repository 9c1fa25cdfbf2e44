import Domain
import JSON
import ServiceKit

/// A query for the account with an email or fiscal code that a person entered (RUN-7).
package struct PersonQuestion: Sendable, Hashable {
  /// The email or the fiscal code.
  package let known: SingleRequestAddressee

  /// A query by one of the two.
  package init(_ known: SingleRequestAddressee) { self.known = known }
}

/// The active person found by a query.
package struct FoundPerson: Sendable, Hashable {
  /// The account; nil if no active person has the email or fiscal code.
  package let account: AccountID?

  /// The response.
  package init(_ account: AccountID?) { self.account = account }
}

extension PersonQuestion: JSONReadable, JSONWritable {
  /// Reads what `write` wrote; exactly one of the two fields.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var email: EmailAddress?
    var fiscalCode: FiscalCode?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "email":
        email = try reader.parsed { text throws(EmailAddressError) in
          try EmailAddress(utf8: text)
        }
      case "fc":
        fiscalCode = try reader.parsed { text throws(FiscalCodeError) in
          try FiscalCode(utf8: text)
        }
      default: break
      }
    }
    do throws(SingleRequestTermsError) {
      self.init(try SingleRequestAddressee(email: email, fiscalCode: fiscalCode))
    } catch {
      throw reader.refusal(error.description)
    }
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch known {
      case .email(let email): writer.field("email", email.text)
      case .fiscalCode(let code): writer.field("fc", code.text)
      }
    }
  }
}

extension FoundPerson: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var account: AccountID?
    try reader.beginObject()
    while let key = try reader.nextField() {
      guard key == "account" else { continue }
      account = try reader.account()
    }
    self.init(account)
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.fieldIfPresent("account", account?.rawValue) }
  }
}
