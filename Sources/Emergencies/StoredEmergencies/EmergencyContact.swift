import Accounts
import Cryptography
import Domain
import JSON
import PublicAPI
import ServiceKit

/// A person to notify of an emergency (SOS-6), in the same form on the wire and sealed.
struct EmergencyContact: Sendable, Equatable, JSONReadable, JSONWritable {
  /// The most contacts of a person.
  static let countMax = ChooseContactsBody.countMax

  let name: FullName
  let email: EmailAddress
  let phone: PhoneNumber?

  /// The telephone, if it may be called by voice: with a country code and at least eight digits, so
  /// that it is not an emergency number, a short code or an extension of the operator's exchange.
  var callablePhone: PhoneNumber? {
    phone.flatMap { $0.text.hasPrefix("+") && $0.text.utf8.count > 8 ? $0 : nil }
  }

  init(_ body: EmergencyContactBody) {
    name = body.name
    email = body.email
    phone = body.phone
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(try EmergencyContactBody(from: &reader))
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writeFields(to: &$0) }
  }

  func writeFields(to writer: inout JSONWriter) {
    writer.field("name", name.text)
    writer.field("email", email.text)
    writer.fieldIfPresent("phone", phone?.text)
  }
}

/// A person's emergency contacts, each address once.
struct EmergencyContacts: Sendable, Equatable, JSONReadable, JSONWritable {
  let list: [EmergencyContact]

  static let none = EmergencyContacts(list: [])

  init(list: [EmergencyContact]) { self.list = list }

  init(from reader: inout JSONReader) throws(JSONError) {
    list = try ChooseContactsBody(from: &reader).contacts.map(EmergencyContact.init)
  }

  func write(to writer: inout JSONWriter) {
    writer.object { $0.field("contacts", list) }
  }

  /// Seals the contacts for their owner.
  func sealed(for account: AccountID, under key: SealingKey) -> [UInt8] {
    key.sealJSON(of: self, for: Self.context(account))
  }

  /// Opens the contacts of an account; an empty list for nil.
  ///
  /// - Throws: `internalError` if they were not sealed for this account.
  init(sealed: [UInt8]?, of account: AccountID, under key: SealingKey) throws(ApplicationError) {
    guard let sealed else {
      self = .none
      return
    }
    self = try mapStorageError { () throws(CryptographyError) in
      try key.openJSON(EmergencyContacts.self, sealed.span, for: Self.context(account))
    }
  }

  private static func context(_ account: AccountID) -> SealContext {
    SealContext(
      table: "monitored_users", column: "sealed_contacts", row: SealRow(account.rawValue))
  }
}
