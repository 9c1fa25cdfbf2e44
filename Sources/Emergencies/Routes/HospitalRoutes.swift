import Accounts
import AutomatedSOS
import Bytes
import Domain
import EventLoop
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Sharing
import Time
import Web

/// The endpoints of hospitals: go on duty, read their calls, acknowledge an emergency, report its
/// outcome (SOS-5, SOS-12).
struct HospitalRoutes: Sendable {
  /// A hospital that reads its calls again within this time leaves no further entry in the access
  /// record.
  private static let readPause = Duration.seconds(60)

  private let dependencies: EmergenciesDependencies
  /// The dependencies for work that an emergency waits for.
  private let reserved: EmergenciesDependencies
  private let calling: EmergencyCalling

  init(
    _ dependencies: EmergenciesDependencies, reserved: EmergenciesDependencies,
    _ calling: EmergencyCalling
  ) {
    self.dependencies = dependencies
    self.reserved = reserved
    self.calling = calling
  }

  private var store: EmergencyStore { calling.store }

  /// The rows of the route table.
  var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.chooseDuty, chooseDuty), routes.identified(.emergencyCalls, list),
      routes.identified(.acknowledgeCall, acknowledge), routes.identified(.closeCall, close),
    ]
  }

  /// The stored row of the caller.
  ///
  /// - Throws: `forbidden` for a hospital that was not approved.
  private func approved(_ account: AccountID) async throws(ApplicationError) -> HospitalRow? {
    let row = try await reserved.database.row(HospitalOf(account: account))
    guard row.isAdmitted(store.settings) else {
      throw ApplicationError(
        .forbidden, "Not approved",
        detail:
          "The operator has to approve hospitals that answer emergencies: contact the operator.")
    }
    return row
  }

  @Sendable private func chooseDuty(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(ChooseDutyBody.self)
    let known = try await approved(identity.account)
    let position = payload.coordinate ?? known?.position
    if payload.isOnDuty, position == nil {
      throw .invalid(
        "Add the position of the duty, such as 45.4781,9.2273: the nearest hospital is called.",
        field: "coordinate")
    }
    return try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      let duty = ChooseDuty(
        account: identity.account, isOnDuty: payload.isOnDuty, latitude: position?.latitudeE7,
        longitude: position?.longitudeE7, now: dependencies.environment.now())
      guard try await transaction.runOne(duty) != nil else { throw .unauthenticated() }
      return .message("Settings updated")
    }
  }

  @Sendable private func list(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let hospital = try await approved(identity.account)
    let limit = PageLimit.count(request.query)
    let cursor = try HospitalCallCursor(request.query)
    let rows = try await dependencies.database.rows(
      HospitalCalls(
        hospital: identity.account, before: cursor.time, beforeID: cursor.id, limit: limit + 1))
    let page = rows.prefix(limit)
    let entries = page.map { DeliveredEmergency(id: $0.id, hospital: identity.account) }
    let messages = try await messages(of: entries)
    try await record(messages, readBy: identity.account)
    return .json { writer in
      writer.array("calls") { writer in
        for (row, entry) in zip(page, entries) {
          guard let delivery = messages[entry] else { continue }
          writer.object { writer in
            delivery.message.writeFields(at: row.calledAt.flooredToMilliseconds, to: &writer)
            writer.field("stage", delivery.message.row.stage.apiName)
            writer.field("call", row.number)
            writer.field("calledAt", row.calledAt.description)
            writer.fieldIfPresent("acknowledgedAt", row.acknowledgedAt?.description)
          }
        }
      }
      if rows.count > limit, let last = page.last {
        writer.field("next", HospitalCallCursor(last.calledAt, last.id).text)
      }
      writer.field("onDuty", hospital?.isOnDuty ?? false)
      writer.fieldIfPresent("coordinate", hospital?.position?.text)
    }
  }

  /// The messages that a hospital may read about the emergencies that it was called for, with the
  /// vital signs up to now or to their end.
  private func messages(
    of entries: [DeliveredEmergency]
  ) async throws(ApplicationError) -> [DeliveredEmergency: EmergencyDelivery] {
    var messages = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in
      try await EmergencyDeliveries(
        database: dependencies.database, accountKeys: dependencies.accountKeys, store.settings
      ).messages(of: entries, in: transaction).messages
    }
    let vitalSigns = try await StoredVitalSigns(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, zone: dependencies.zone, log: dependencies.log
    ).readings(
      ofIncomplete: messages.keys.map(\.id))
    for (entry, _) in messages {
      messages[entry]?.message.add(vitalSigns[entry.id] ?? [])
    }
    return messages
  }

  /// Records that a hospital reads these messages.
  private func record(
    _ messages: [DeliveredEmergency: EmergencyDelivery], readBy hospital: AccountID
  ) async throws(ApplicationError) {
    guard !messages.isEmpty else { return }
    let now = dependencies.environment.now()
    let note = NoteCallsRead(
      hospital: hospital, ids: messages.keys.map(\.id), now: now,
      before: now - Self.readPause)
    try await dependencies.database.transaction(retrying: .conflicts(times: 3)) {
      (transaction) throws(ApplicationError) in
      let read = try await transaction.run(note)
      let entries = Set(read).compactMap { id in
        messages[DeliveredEmergency(id: id, hospital: hospital)].map {
          AccessedData($0.message, to: hospital, .json, at: now)
        }
      }
      try await calling.accesses.record(entries, in: transaction)
    }
  }

  @Sendable private func acknowledge(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let id = try request.payload(EmergencyBody.self).id()
    return try await change(request, id, by: identity.account) {
      (row, own, transaction, accesses) throws(ApplicationError) in
      if row.stage == .acknowledged, own.acknowledgedAt != nil { return false }
      guard row.stage == .dispatched else {
        throw .conflict("Another recipient has acknowledged it, or it is over.")
      }
      let now = dependencies.environment.now()
      row.acknowledge(at: now)
      try await transaction.run(
        NoteAcknowledged(hospital: identity.account, id: id, now: now))
      try await calling.end(row, .takenOver, except: identity.account, in: transaction)
      accesses.append(
        AccessedData(row.account, id, to: identity.account, .acknowledgement, at: now))
      return true
    }
  }

  @Sendable private func close(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let (id, outcome) = try request.payload(CloseCallBody.self).closing()
    return try await change(request, id, by: identity.account) {
      (row, own, transaction, accesses) throws(ApplicationError) in
      guard row.stage == .acknowledged, own.acknowledgedAt != nil else {
        throw .conflict("It is not acknowledged yet, or it is over.")
      }
      row.close(.closed, outcome, at: dependencies.environment.now())
      accesses += try await calling.mailAllClear(row, in: transaction)
      return true
    }
  }

  /// Changes an emergency that a hospital was called for, and notifies its person; `change` adds
  /// the entries for the access record.
  ///
  /// - Throws: `forbidden` for a hospital that was not approved, `notFound` for one that was not
  ///   called, the errors of `change`.
  private func change(
    _ request: Request, _ id: UniversalID, by hospital: AccountID,
    _ change:
      (inout EmergencyRow, EmergencyCallRow, Transaction<ApplicationError>, inout [AccessedData])
      async throws(ApplicationError) -> Bool
  ) async throws(ApplicationError) -> Response {
    _ = try await approved(hospital)
    let person = try await reserved.database.row(CalledFor(hospital: hospital, id: id))
    guard let person else { throw .notFound }
    let called = try await reserved.database.rows(CallsOf(ids: [id])).compactMap(\.hospital)
    let response = try await reserved.effects.run(request, for: hospital) {
      (transaction) throws(ApplicationError) in
      let held = try await store.hold(id, of: person, with: called, in: transaction)
      let calls = try await transaction.run(CallsOf(ids: [id]))
      guard var row = held, let own = calls.first(where: { $0.hospital == hospital }) else {
        throw .notFound
      }
      let from = row.stage
      var accesses: [AccessedData] = []
      if try await change(&row, own, transaction, &accesses) {
        guard try await store.store(row, from: from, in: transaction) else {
          throw .conflict("It has changed in the meantime: load it again.")
        }
        try await calling.accesses.record(accesses, in: transaction)
      }
      return .message("Action successful")
    }
    dependencies.notices.announce()
    dependencies.events.announce()
    dependencies.mailQueue.announce()
    return response
  }
}

/// The position after a call in its hospital's list, which is ordered by time and identifier,
/// newest first.
struct HospitalCallCursor {
  let time: Instant
  let id: UniversalID

  init(_ time: Instant, _ id: UniversalID) {
    self.time = time
    self.id = id
  }

  /// Reads the cursor of a query; without one, the beginning of the list.
  ///
  /// - Throws: `invalid` for a text that is not a cursor of this list.
  init(_ query: Query) throws(ApplicationError) {
    let words = try PageCursor.words(.emergencyCalls, in: query)
    time = words.map { Instant(microsecondsSince1970: Int64(bitPattern: $0[0])) } ?? .infinity
    id = UniversalID(high: words?[1] ?? .max, low: words?[2] ?? .max)
  }

  var text: String {
    PageCursor.text(
      .emergencyCalls, [UInt64(bitPattern: time.microsecondsSince1970), id.high, id.low])
  }
}

/// A page of a hospital's calls, newest first. By the index on the hospital.
struct HospitalCalls: Statement {
  struct Row: Sendable {
    let id: UniversalID
    let number: Int32
    let calledAt: Instant
    let acknowledgedAt: Instant?
  }
  static let sql: SQL<Self> = """
    SELECT emergency_id, number, called_at, acknowledged_at
      FROM data4help.emergency_calls
     WHERE hospital_id = \(\.hospital)
       AND (called_at, emergency_id) < (\(\.before), \(\.beforeID))
     ORDER BY called_at DESC, emergency_id DESC
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let hospital: AccountID
  let before: Instant
  let beforeID: UniversalID
  let limit: Int
}
