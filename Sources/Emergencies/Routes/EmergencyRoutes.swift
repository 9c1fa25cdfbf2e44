import Accounts
import AutomatedSOS
import Bytes
import Cryptography
import Domain
import EventLoop
import HealthRecords
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Sharing
import Time
import Web

/// The endpoints of monitored people and their devices for emergencies: alert, abort, false alarm,
/// drill and history (SOS-3, SOS-4, SOS-8).
struct EmergencyRoutes: Sendable {
  private let dependencies: EmergenciesDependencies
  /// The dependencies for work that an emergency waits for.
  private let reserved: EmergenciesDependencies
  private let watch: EmergencyWatch
  private let calling: EmergencyCalling

  init(
    _ dependencies: EmergenciesDependencies, reserved: EmergenciesDependencies,
    _ watch: EmergencyWatch,
    _ calling: EmergencyCalling
  ) {
    self.dependencies = dependencies
    self.reserved = reserved
    self.watch = watch
    self.calling = calling
  }

  /// The rows of the route table.
  var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.raiseAlert, raise), routes.identified(.abortEmergency, abort),
      routes.identified(.reportFalseAlarm, reportFalseAlarm),
      routes.identified(.beginDrill, drill), routes.identified(.emergencies, list),
    ]
  }

  @Sendable private func raise(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let now = dependencies.environment.now()
    let (payload, readings) = try await alert(in: request, identity, at: now.flooredToMilliseconds)
    _ = try await watch.check(readings, from: identity, in: "readings")
    let received = readings.adding(
      payload.position(from: identity.device, at: now.flooredToMilliseconds))
    try await checkMonitored(identity.account)
    await watch.takeAndWait(
      JudgedReadings(received, at: now.flooredToMilliseconds, isLast: payload.isLast),
      of: identity.account)
    guard let present = try await present(identity.account, payload.rule) else {
      throw .conflict(
        "None of these readings breaks the rule now: they are in bounds, too old, impossible, or "
          + "monitoring is paused.")
    }
    return Self.raised(present)
  }

  /// An alert and its readings.
  ///
  /// - Throws: `invalid` for an invalid body, after its readable part was judged.
  private func alert(
    in request: Request, _ identity: Identity, at now: Instant
  ) async throws(ApplicationError) -> (AlertPayload, ReceivedSamples) {
    do throws(ApplicationError) {
      let payload = try request.payload(AlertPayload.self)
      return (payload, try payload.samples(from: identity.device, at: now))
    } catch {
      let (readable, isLast) = AlertPayload.readable(
        in: request.body.bytes, from: identity.device)
      throw await watch.refusal(error, judging: readable, from: identity, isLast: isLast)
    }
  }

  /// The emergency that occupies a rule of a person: offline, else stored, else from memory.
  ///
  /// - Throws: `unavailable` if the database does not answer and memory has none.
  private func present(
    _ account: AccountID, _ rule: EmergencyRule
  ) async throws(ApplicationError) -> FollowedEmergency? {
    if let present = watch.copies.present(account, rule) { return present }
    let now = dependencies.environment.now()
    let stored = try await watch.inTime { () throws(ApplicationError) in
      try await reserved.database.row(PresentEmergency(account: account, rule: rule, now: now))
    }
    if let stored { return stored }
    guard let known = watch.copies.known(account, rule, at: now) else { throw .unavailable() }
    return known
  }

  private static func raised(_ emergency: FollowedEmergency) -> Response {
    .json { writer in
      writer.field("episodeID", emergency.id.description)
      writer.field("stage", emergency.stage.apiName)
      writer.fieldIfPresent("quietUntil", emergency.quietOnceOver?.description)
    }
  }

  /// A person who enabled monitoring a moment ago at another replica may not be known here yet.
  private func checkMonitored(_ account: AccountID) async throws(ApplicationError) {
    guard !watch.monitoring.watches(account) else { return }
    let answer = try await watch.inTime { () throws(ApplicationError) in
      try await reserved.database.row(MonitoredUser(account: account))
    }
    guard let answer else { throw .unavailable() }
    guard let row = answer, row.permittedAt != nil else {
      throw .conflict("AutomatedSOS is switched off: enable it first.")
    }
    watch.take(over: row)
  }

  @Sendable private func abort(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let id = try request.payload(EmergencyBody.self).id()
    if try await watch.abort(id, of: identity.account) {
      return .message("Action successful")
    }
    let stored = try await watch.inTime { () throws(ApplicationError) in
      try await change(request, id, of: identity.account) {
        (row, _, _) throws(ApplicationError) in
        guard row.abort(at: dependencies.environment.now()) else {
          throw .tooLateToAbort
        }
      }
    }
    if let stored { return stored }
    guard try await watch.abort(id, of: identity.account, hasDatabaseFailed: true) else {
      throw .unavailable()
    }
    return .message("Action successful")
  }

  @Sendable private func reportFalseAlarm(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let id = try request.payload(EmergencyBody.self).id()
    let response = try await change(request, id, of: identity.account) {
      (row, transaction, accesses) throws(ApplicationError) in
      guard row.stage == .dispatched || row.stage == .acknowledged else {
        throw .conflict("No call was made for it, or it is over.")
      }
      row.close(.falseAlarm, nil, at: dependencies.environment.now())
      accesses += try await calling.mailAllClear(row, in: transaction)
      try await calling.end(row, .falseAlarm, except: nil, in: transaction)
    }
    dependencies.mailQueue.announce()
    dependencies.events.announce()
    return response
  }

  /// Changes an emergency of the caller, and notifies the person.
  ///
  /// - Throws: `notFound` for an emergency of another account, and the errors of `change`.
  private func change(
    _ request: Request, _ id: UniversalID, of account: AccountID,
    _ change:
      (inout EmergencyRow, Transaction<ApplicationError>, inout [AccessedData])
      async throws(ApplicationError) -> Void
  ) async throws(ApplicationError) -> Response {
    let calls = try await reserved.database.rows(CallsOf(ids: [id]))
    let response = try await reserved.effects.run(request, for: account) {
      (transaction) throws(ApplicationError) in
      let held = try await watch.store.hold(
        id, of: account, with: calls.compactMap(\.hospital), in: transaction)
      guard var row = held else { throw .notFound }
      let from = row.stage
      var accesses: [AccessedData] = []
      try await change(&row, transaction, &accesses)
      guard try await watch.store.store(row, from: from, in: transaction) else {
        throw .conflict("It has changed in the meantime: load it again.")
      }
      try await calling.accesses.record(accesses, in: transaction)
      return .message("Action successful")
    }
    dependencies.notices.announce()
    return response
  }

  @Sendable private func drill(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let response = try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      let id = try await watch.store.beginDrill(of: identity.account, in: transaction)
      return .json { $0.field("episodeID", id.description) }
    }
    dependencies.notices.announce()
    return response
  }

  // MARK: The history

  @Sendable private func list(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let cursor = try HistoryCursor(request.query)
    // No transaction: it would need one of the connections for writes, and a person must see an
    // emergency while those are taken. Calls made after the first statement are left out by the
    // stage that it returned.
    let rows = try await dependencies.database.rows(
      EmergenciesOf(account: identity.account, cursor: cursor, limit: limit + 1))
    let page = rows.prefix(limit)
    let key = try await dependencies.accountKeys.key(of: identity.account)
    let history = try await calls(
      of: page.filter { $0.dispatchedAt != nil }.map(\.id), under: key)
    let now = dependencies.environment.now().flooredToMilliseconds
    let vitalSigns = try await StoredVitalSigns(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, zone: dependencies.zone, log: dependencies.log
    ).readings(
      ofIncomplete: page.map(\.id))
    let emergencies = try page.map { (row) throws(ApplicationError) in
      var details = try EmergencyDetails(row, under: key)
      details.add(vitalSigns[row.id] ?? [], since: row.firstCritical)
      return EmergencyHistory(row: row, details: details, calls: history.calls(for: row.id))
    }
    return .json { writer in
      writer.array("episodes") { writer in
        for emergency in emergencies { emergency.write(at: now, to: &writer) }
      }
      if rows.count > limit, let last = page.last {
        writer.field("next", HistoryCursor(after: last).text)
      }
    }
  }

  /// The calls and mails of a person's emergencies, with the names of hospitals and contacts.
  private func calls(
    of ids: [UniversalID], under key: SealingKey
  ) async throws(ApplicationError) -> CallHistory {
    var history = CallHistory()
    guard !ids.isEmpty else { return history }
    let calls = try await dependencies.database.rows(CallsOf(ids: ids))
    let toContacts = try await dependencies.database.rows(ContactCallsOf(ids: ids))
    let mails = try await dependencies.database.rows(ContactMailsOf(ids: ids))
    let directory = AccountDirectory(
      database: dependencies.database, accountKeys: dependencies.accountKeys,
      root: dependencies.root, log: dependencies.log)
    let hospitals = try await directory.thirdParties(Set(calls.compactMap(\.hospital)))
    for call in calls {
      history.add(call, to: call.hospital.flatMap { hospitals[$0]?.companyName })
    }
    for call in toContacts { history.add(call, to: try call.name(under: key)) }
    for mail in mails { history.add(mail, to: try mail.name(under: key)) }
    return history
  }
}
