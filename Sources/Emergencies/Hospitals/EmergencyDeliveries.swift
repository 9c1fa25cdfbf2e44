import Accounts
import AutomatedSOS
import Bytes
import Domain
import JSON
import Postgres
import ServiceKit
import Sharing
import Time
import Webhooks

/// Opens the messages of entries in hospitals' sequences just before they are sent. Data that the
/// person deleted meanwhile is not sent, and a hospital whose approval was withdrawn receives no
/// personal data (SOS-12).
package struct EmergencyDeliveries: EmergencySource {
  private let database: Database
  private let accountKeys: AccountKeys
  /// Whether any third party may answer, approved or not.
  private let areAllAdmitted: Bool

  /// Messages to hospitals; `database` says which third parties are hospitals.
  package init(database: Database, accountKeys: AccountKeys, _ settings: EmergencySettings) {
    self.database = database
    self.accountKeys = accountKeys
    areAllAdmitted = settings.areAllAdmitted
  }

  package func isHospital(_ account: AccountID) async throws(ApplicationError) -> Bool {
    try await database.row(HospitalOf(account: account)) != nil
  }

  package func content(
    of entries: [DeliveredEmergency], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> any EmergencyContent {
    try await messages(of: entries, in: transaction)
  }

  /// The messages of these entries; those of deleted accounts are left out.
  ///
  /// - Throws: `unavailable` if a database is unavailable, `internalError` for damaged data.
  func messages(
    of entries: [DeliveredEmergency], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> FoundEmergencies {
    var found = FoundEmergencies()
    guard !entries.isEmpty else { return found }
    let rows = try await transaction.run(
      CalledEmergencies(
        ids: entries.map(\.id), hospitals: entries.map(\.hospital),
        areAllAdmitted: areAllAdmitted))
    let keys = try await accountKeys.keys(of: Array(Set(rows.map(\.account))))
    for row in rows {
      guard let key = try keys.key(of: row.account) else { continue }
      let entry = DeliveredEmergency(id: row.id, hospital: row.hospital)
      found.known.insert(entry)
      guard row.isAdmitted else { continue }
      found.messages[entry] = EmergencyDelivery(
        message: try EmergencyMessage(row.emergency, row.profile, under: key),
        number: row.number, calledAt: row.calledAt)
    }
    return found
  }
}

/// The content of entries in hospitals' sequences.
struct FoundEmergencies: EmergencyContent {
  /// Entries whose account exists. Their hospital is notified of the end of a call, which contains
  /// no personal data, whatever it received before.
  fileprivate(set) var known: Set<DeliveredEmergency> = []
  /// The messages that may be sent.
  fileprivate(set) var messages: [DeliveredEmergency: EmergencyDelivery] = [:]

  func item(_ entry: EventRow, _ emergency: DeliveredEmergency) -> EventItem? {
    EventItem(entry, emergency, of: self)
  }

  func access(
    to emergency: DeliveredEmergency, _ format: AccessFormat, at time: Instant
  ) -> AccessedData? {
    messages[emergency].map {
      AccessedData($0.message, to: emergency.hospital, format, at: time)
    }
  }
}

/// A message with the call that brings it.
struct EmergencyDelivery: Sendable {
  var message: EmergencyMessage
  let number: Int32
  let calledAt: Instant

  /// Writes the message to the hospital.
  func writeCall(to writer: inout JSONWriter) {
    message.writeFields(at: calledAt.flooredToMilliseconds, to: &writer)
    writer.field("call", number)
    writer.field("calledAt", calledAt.description)
    let documents = EmergencyDocuments(message: message)
    writer.field("cap", documents.alert(at: calledAt.flooredToMilliseconds))
    writer.fieldIfPresent("pidfLo", documents.location)
  }
}

extension CallbackMessage {
  /// A call sent outside the sequence: the same message that the sequence delivers later.
  init(calling delivery: EmergencyDelivery) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("type", "sos.called")
      writer.field("timestamp", delivery.calledAt.description)
      writer.object("data") { delivery.writeCall(to: &$0) }
    }
    self.init(id: Self.id(ofCall: delivery.message.row.id), body: writer.bytes)
  }

  /// The identifier of the call to a hospital, which is called at most once for an emergency.
  static func id(ofCall emergency: UniversalID) -> String { "sos_\(emergency)" }
}

extension EventItem {
  /// The event that a hospital is called, or that the call is over; nil if the hospital may not
  /// receive it, and for any other entry.
  init?(_ entry: EventRow, _ emergency: DeliveredEmergency, of found: FoundEmergencies) {
    switch entry.kind {
    case .emergencyCalled:
      guard let delivery = found.messages[emergency] else { return nil }
      self.init(entry, "sos.called") { delivery.writeCall(to: &$0) }
      messageID = CallbackMessage.id(ofCall: emergency.id)
    case .emergencyClosed:
      guard found.known.contains(emergency) else { return nil }
      self.init(entry, "sos.closed") { writer in
        writer.field("episodeID", emergency.id.description)
        writer.fieldIfPresent("reason", entry.reason.flatMap(EmergencyEnd.init)?.apiName)
      }
    case .data, .answered, .ended, .erased, .unavailable, .accountDeleted: return nil
    }
  }

  private init(_ entry: EventRow, _ type: String, _ data: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("seq", entry.lastNumber)
      writer.field("type", type)
      writer.field("timestamp", entry.enteredAt.description)
      writer.object("data", data)
    }
    self.init(
      number: entry.lastNumber, name: type, enteredAt: entry.enteredAt, document: writer.bytes)
  }
}

/// Emergencies that hospitals were called for, with their person. By the index on hospital and
/// emergency.
struct CalledEmergencies: Statement {
  struct Row: Sendable {
    let hospital: AccountID
    let number: Int32
    let calledAt: Instant
    /// Whether the hospital may receive it now.
    let isAdmitted: Bool
    let emergency: EmergencyRow
    let profile: ProfileRow

    var id: UniversalID { emergency.id }
    var account: AccountID { emergency.account }
  }
  static let sql: SQL<Self> = """
    SELECT asked.hospital_id, call.number, call.called_at, emergency.account_id,
           emergency.emergency_id, emergency.rule, emergency.stage, emergency.first_critical,
           emergency.suspected_at, emergency.abort_until, emergency.confirmed_at,
           emergency.dispatched_at, emergency.sealed_details, account.state, account.birth_date,
           account.sex, account.language, account.time_zone, account.sealed_email,
           account.sealed_identity, account.sealed_profile,
           hospital.approved_at IS NOT NULL OR \(\.areAllAdmitted)
      FROM unnest(\(\.ids), \(\.hospitals)) AS asked (emergency_id, hospital_id)
      JOIN data4help.emergency_calls AS call
        ON call.hospital_id = asked.hospital_id
       AND call.emergency_id = asked.emergency_id
      JOIN data4help.emergencies AS emergency ON emergency.emergency_id = call.emergency_id
      JOIN data4help.accounts AS account ON account.account_id = emergency.account_id
      LEFT JOIN data4help.hospitals AS hospital ON hospital.account_id = call.hospital_id
    """
  static let columns = Columns {
    (
      hospital: AccountID, number: Int32, calledAt: Instant, account: AccountID, id: UniversalID,
      rule: EmergencyRule, stage: EmergencyStage, firstCritical: Int64, suspectedAt: Instant,
      abortUntil: Instant, confirmedAt: Instant?, dispatchedAt: Instant?, details: [UInt8],
      state: AccountState, birthDate: CalendarDate?, sex: Sex?, language: Language?,
      timeZone: String?, email: [UInt8], identity: [UInt8], profile: [UInt8], isAdmitted: Bool
    ) in
    Row(
      hospital: hospital, number: number, calledAt: calledAt, isAdmitted: isAdmitted,
      emergency: EmergencyRow(
        id: id, account: account, rule: rule, stage: stage, firstCritical: firstCritical,
        suspectedAt: suspectedAt, abortUntil: abortUntil, dueAt: nil, quietUntil: nil,
        trackedUntil: calledAt, askedAt: nil, confirmedAt: confirmedAt,
        dispatchedAt: dispatchedAt, acknowledgedAt: nil, endedAt: nil, outcome: nil,
        sealedDetails: details),
      profile: ProfileRow(
        state: state, birthDate: birthDate, sex: sex,
        locale: StoredLocale(language: language, timeZone: timeZone),
        sealed: SealedAccount(email: email, identity: identity, profile: profile)))
  }
  let ids: [UniversalID]
  let hospitals: [AccountID]
  let areAllAdmitted: Bool
}
