import Domain
import JSON
import ServiceKit

/// A query for the identities of accounts.
package struct PeopleQuestion: Sendable, Hashable {
  /// The maximum number of accounts in one query.
  package static let countMax = 1_000
  /// The accounts.
  package let accounts: [AccountID]

  /// At most `countMax` accounts.
  package init(_ accounts: [AccountID]) { self.accounts = accounts }
}

/// The identity of an account that Track4Run stores.
package struct KnownPerson: Sendable, Hashable {
  /// A person or a company.
  package enum Identity: Sendable, Hashable {
    /// A person, by the full name.
    case singleUser(name: String)
    /// A company, as others see it.
    case thirdParty(companyName: String, email: String, vatNumber: String)
  }

  /// The account.
  package let account: AccountID
  /// Whether it is active: an inactive one can be neither asked nor found.
  package let isActive: Bool
  /// Its identity.
  package let identity: Identity

  /// A person or company with these properties.
  package init(_ account: AccountID, isActive: Bool, _ identity: Identity) {
    self.account = account
    self.isActive = isActive
    self.identity = identity
  }
}

/// The existing accounts of a query, in no particular order.
package struct KnownPeople: Sendable, Hashable {
  /// One for each existing account.
  package let people: [KnownPerson]

  /// These people.
  package init(_ people: [KnownPerson]) { self.people = people }
}

extension PeopleQuestion: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      try reader.object(with: "accounts") { (reader) throws(JSONError) in
        try reader.accounts(countMax: Self.countMax)
      })
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("accounts", accounts.map(\.rawValue)) }
  }
}

extension KnownPeople: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(try reader.object(with: "people"))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("people", people) }
  }
}

extension KnownPerson: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var account: AccountID?
    var isActive: Bool?
    var name: String?
    var companyName: String?
    var email: String?
    var vatNumber: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "account": account = try reader.account()
      case "active": isActive = try reader.boolean()
      case "name": name = try reader.string()
      case "company_name": companyName = try reader.string()
      case "email": email = try reader.string()
      case "piva": vatNumber = try reader.string()
      default: break
      }
    }
    let identity: Identity =
      if let name {
        .singleUser(name: name)
      } else {
        .thirdParty(
          companyName: try reader.mandatory("company_name", companyName),
          email: try reader.mandatory("email", email),
          vatNumber: try reader.mandatory("piva", vatNumber))
      }
    self.init(
      try reader.mandatory("account", account),
      isActive: try reader.mandatory("active", isActive), identity)
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("account", account.rawValue)
      writer.field("active", isActive)
      switch identity {
      case .singleUser(let name): writer.field("name", name)
      case .thirdParty(let companyName, let email, let vatNumber):
        writer.field("company_name", companyName)
        writer.field("email", email)
        writer.field("piva", vatNumber)
      }
    }
  }
}
