import AutomatedSOS
import Bytes
import Domain
import JSON
import ServiceKit
import Time

/// An emergency in its person's history (SOS-8).
struct EmergencyHistory {
  let row: EmergencyRow
  let details: EmergencyDetails
  let calls: [CallHistory.Call]

  func write(at now: Instant, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("episodeID", row.id.description)
      writer.field("stage", row.stage.apiName)
      writer.field("rule", row.rule.apiName)
      writer.field("drill", row.isDrill)
      for (name, time) in times {
        writer.fieldIfPresent(name, time?.description)
      }
      writer.fieldIfPresent("outcome", row.outcome?.apiName)
      details.writeFields(at: (row.dispatchedAt?.flooredToMilliseconds ?? now), to: &writer)
      writer.array("calls") { writer in
        for call in calls { call.write(to: &writer) }
      }
    }
  }

  private var times: [(String, Instant?)] {
    [
      ("suspectedAt", row.suspectedAt), ("abortUntil", row.abortUntil),
      ("askedAt", row.askedAt), ("confirmedAt", row.confirmedAt),
      ("dispatchedAt", row.dispatchedAt), ("acknowledgedAt", row.acknowledgedAt),
      ("endedAt", row.endedAt),
    ]
  }
}

/// The recipients that were called for emergencies: hospitals, the emergency number, contacts.
struct CallHistory: Sendable {
  /// One call.
  struct Call: Sendable {
    /// The hospital's name; nil for a deleted hospital, and for a call to another recipient.
    let hospital: String?
    /// The name that the person has stored; nil for a call to another recipient.
    let contact: String?
    let isVoice: Bool
    var isAllClear = false
    let calledAt: Instant
    let acknowledgedAt: Instant?
    let withdrawnAt: Instant?

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.field("hospital", hospital)
        writer.fieldIfPresent("contact", contact)
        writer.field("voice", isVoice)
        if isAllClear { writer.field("allClear", true) }
        writer.field("calledAt", calledAt.description)
        writer.fieldIfPresent("acknowledgedAt", acknowledgedAt?.description)
        writer.fieldIfPresent("withdrawnAt", withdrawnAt?.description)
      }
    }
  }

  private var calls: [UniversalID: [Call]] = [:]

  /// Adds a call to a hospital of this name, or to the emergency number.
  mutating func add(_ call: EmergencyCallRow, to hospital: String?) {
    calls[call.id, default: []].append(
      Call(
        hospital: hospital, contact: nil, isVoice: call.isVoice, calledAt: call.calledAt,
        acknowledgedAt: call.acknowledgedAt, withdrawnAt: call.withdrawnAt))
  }

  /// Adds a call to a contact of this name.
  mutating func add(_ call: ContactCallRow, to contact: String) {
    calls[call.emergency, default: []].append(
      Call(
        hospital: nil, contact: contact, isVoice: true, calledAt: call.calledAt,
        acknowledgedAt: call.acknowledgedAt, withdrawnAt: call.withdrawnAt))
  }

  /// Adds a mail to a contact of this name; a mail that asks for agreement belongs to no emergency.
  mutating func add(_ mail: ContactMailRow, to contact: String) {
    guard let emergency = mail.emergency else { return }
    calls[emergency, default: []].append(
      Call(
        hospital: nil, contact: contact, isVoice: false, isAllClear: mail.kind == .allClear,
        calledAt: mail.queuedAt, acknowledgedAt: nil, withdrawnAt: nil))
  }

  /// The calls for an emergency in order of time; simultaneous ones in the order of their
  /// insertion.
  func calls(for emergency: UniversalID) -> [Call] {
    (calls[emergency] ?? []).enumerated().sorted {
      ($0.element.calledAt, $0.offset) < ($1.element.calledAt, $1.offset)
    }.map(\.element)
  }
}
