import AutomatedSOS
import Domain
import Synchronization

/// A transition of an emergency to apply, with the readings that decided it.
struct EmergencyTransition: Sendable, Equatable {
  /// The decision of a detector based on readings; decisions based only on time belong to the
  /// stored row.
  enum Kind: Sendable, Equatable {
    case suspected, asked, confirmed, withdrawn
  }

  let kind: Kind
  /// Whether the emergency begins with this transition.
  let isNew: Bool
  let emergency: Emergency
  /// The readings behind the decision, newest last.
  let readings: [EmergencyReading]
  /// The vital signs of the last minutes, the oldest first.
  var vitalSigns: [EmergencyReading] = []
  let position: KnownPosition?
}
