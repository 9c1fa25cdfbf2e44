import Bytes
import Domain
import ServiceKit

/// The emergency that an entry of the access record names in place of a request.
package struct AccessedEmergency: Sendable {
  /// Nil for the mail that asks a contact for agreement.
  let id: UniversalID?
  /// The name of the contact that the mail or call was to.
  let contact: String?

  /// An emergency, with the name of its contact.
  package init(id: UniversalID?, contact: String?) {
    self.id = id
    self.contact = contact
  }
}

/// Resolves identifiers of emergencies in access records.
package protocol AccessedEmergencySource: Sendable {
  /// The emergencies of an account with these identifiers, or those of its mails and calls to
  /// contacts; identifiers of requests are left out.
  ///
  /// - Throws: `unavailable` if a database is unavailable, `internalError` for a damaged name.
  func named(
    by ids: [UniversalID], of account: AccountID
  ) async throws(ApplicationError) -> [UniversalID: AccessedEmergency]
}
