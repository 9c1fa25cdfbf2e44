import Bytes
import Domain
import Postgres
import ServiceKit
import Time

/// An entry about an emergency in the sequence of a hospital.
package struct DeliveredEmergency: Hashable, Sendable {
  /// The identifier of the emergency.
  package let id: UniversalID
  /// The hospital that is notified.
  package let hospital: AccountID

  /// The emergency with this identifier, for a hospital.
  package init(id: UniversalID, hospital: AccountID) {
    self.id = id
    self.hospital = hospital
  }
}

/// The content of entries about emergencies, read just before they are sent.
package protocol EmergencySource: Sendable {
  /// Whether a third party is or was on duty as a hospital.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func isHospital(_ account: AccountID) async throws(ApplicationError) -> Bool
  /// The content of these entries; that of deleted accounts is left out.
  ///
  /// - Throws: `unavailable` if a database is unavailable, `internalError` for damaged data.
  func content(
    of entries: [DeliveredEmergency], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> any EmergencyContent
}

/// The content of entries about emergencies.
package protocol EmergencyContent: Sendable {
  /// The event of an entry; nil if its hospital may not receive it.
  func item(_ entry: EventRow, _ emergency: DeliveredEmergency) -> EventItem?
  /// The access of a hospital that receives the entry of a call; nil if it has no message.
  func access(
    to emergency: DeliveredEmergency, _ format: AccessFormat, at time: Instant
  ) -> AccessedData?
}
