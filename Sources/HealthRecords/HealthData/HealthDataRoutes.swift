import Accounts
import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Single users' access to their own data: upload (R6-R9), reading (R15-R17), used room (DAT-5) and
/// the choice of imported types (DAT-1).
package struct HealthDataRoutes: Sendable {
  let dependencies: HealthRecordsDependencies
  private let samples: SampleStore
  private let roomNotices: RoomNotices
  private let pairedTypes: PairedTypes
  private let observer: (any UploadObserver)?

  /// Routes over these samples, on the same loop; `observer` examines uploads.
  package init(
    _ dependencies: HealthRecordsDependencies, samples: SampleStore,
    observer: (any UploadObserver)? = nil
  ) {
    self.dependencies = dependencies
    self.samples = samples
    self.observer = observer
    roomNotices = RoomNotices(
      environment: dependencies.environment, database: dependencies.database,
      notices: dependencies.notices,
      log: dependencies.log, bytesMax: samples.bytesMax)
    pairedTypes =
      observer?.pairedTypes ?? PairedTypes(on: dependencies.loop, log: dependencies.log)
  }

  /// The rows of the route table.
  package var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.upload, upload),
      routes.identified(.statistics, statistics),
      routes.identified(.series, series),
      routes.identified(.quota, quota),
      routes.identified(.readImportedTypes, readImportedTypes),
      routes.identified(.chooseImportedTypes, chooseImportedTypes),
    ]
  }

  @Sendable private func upload(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let isMarkedAsMonitored = request.head.fields[.internalWatched] == "1"
    let received: ReceivedSamples
    do throws(ApplicationError) {
      received = try UploadPayload.samples(
        in: request.body.bytes, now: dependencies.environment.now().flooredToMilliseconds,
        from: caller.device)
    } catch {
      guard let observer else { throw error }
      _ = await observer.watches(caller.account, isMarked: isMarkedAsMonitored)
      let readable = ReceivedSamples(readableIn: request.body.bytes, from: caller.device)
      throw await observer.refusal(error, judging: readable, from: caller)
    }
    var isChecked = false
    if let observer, await observer.watches(caller.account, isMarked: isMarkedAsMonitored) {
      isChecked = try await observer.check(received, from: caller, in: "dataTypes")
      // Before any query: an emergency must not wait for an ordinary connection.
      observer.take(received, of: caller.account)
    }
    guard let observer else {
      return try await checkAndStore(received, request, caller, isChecked: isChecked)
    }
    var response: Response
    if observer.monitors(caller.account) {
      response = try await observer.whileDatabaseAnswers {
        [isChecked] () throws(ApplicationError) in
        try await checkAndStore(received, request, caller, isChecked: isChecked)
      }
    } else {
      response = try await checkAndStore(received, request, caller, isChecked: isChecked)
    }
    response.fields.append(
      .internalWatched, observer.monitors(caller.account) ? "1" : "0")
    return response
  }

  private func checkAndStore(
    _ received: ReceivedSamples, _ request: Request, _ caller: Identity, isChecked: Bool
  ) async throws(ApplicationError) -> Response {
    if !isChecked {
      try await pairedTypes.check(received.all, from: caller, asking: dependencies.database)
    }
    return try await store(received, request, caller)
  }

  private func store(
    _ received: ReceivedSamples, _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let (stored, faults) = (received.stored, received.sensorFaults)
    guard request.head.fields[.idempotencyKey] == nil else {
      var outcome = AppendOutcome()
      defer { samples.announce(outcome, of: caller.account) }
      return try await dependencies.effects.run(request, for: caller.account) {
        (transaction) throws(ApplicationError) in
        guard !stored.isEmpty else {
          return Self.answer(AppendOutcome(), sensorFaults: faults)
        }
        outcome = try await samples.append(stored, to: caller.account, in: transaction)
        try await roomNotices.notify(caller.account, dropped: outcome.dropped, in: transaction)
        return Self.answer(outcome, sensorFaults: faults)
      }
    }
    guard !stored.isEmpty else { return Self.answer(AppendOutcome(), sensorFaults: faults) }
    let outcome = try await samples.upload(stored, to: caller.account)
    await roomNotices.notify(caller.account, dropped: outcome.dropped)
    return Self.answer(outcome, sensorFaults: faults)
  }

  private static func answer(_ outcome: AppendOutcome, sensorFaults: Int) -> Response {
    .message("Action successful") {
      $0.field("stored", outcome.stored)
      $0.field("duplicates", outcome.duplicates)
      $0.field("disabled", outcome.disabled)
      $0.field("paused", outcome.paused)
      $0.field("dropped", outcome.dropped)
      $0.field("sensorFaults", sensorFaults)
    }
  }

  @Sendable private func statistics(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let period = try SamplePeriod(request.query)
    let types = try Self.numericTypes(request.query)
    let sealingKey = try await dependencies.accountKeys.key(of: caller.account)
    let rows = try await dependencies.database.rows(
      ChunksOfPeriod(
        account: caller.account, types: types,
        period: StoredPeriod(period, zone: dependencies.zone)))
    var reader = StatisticsReader(account: caller.account, period, sealingKey)
    try mapStorageError { () throws(SampleStoreError) in
      for row in rows { try reader.add(row) }
      try reader.countOnce(rows)
    }
    return .json { writer in
      writer.array("dataTypes") { writer in
        for type in types {
          guard let (summary, newest) = reader.take(type) else { continue }
          summary.write(type, date: dependencies.zone.day(of: newest), to: &writer)
        }
      }
    }
  }

  private static let allNumericTypes = DataType.allCases.filter(\.isNumeric)

  /// The requested types, or all; without non-numeric ones.
  private static func numericTypes(_ query: Query) throws(ApplicationError) -> [DataType] {
    guard let list = query["types"] else { return allNumericTypes }
    var types = DataTypeSet.none
    for name in list.split(separator: ",", omittingEmptySubsequences: false) {
      guard let type = DataType(name: String(name)) else {
        throw .invalid("Name data types, separated by commas.", field: "types")
      }
      types = types.union(DataTypeSet([type]))
    }
    return types.filter(\.isNumeric)
  }

  @Sendable private func quota(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let used = try await dependencies.database.row(RoomUsed(account: caller.account))
    return .json {
      $0.field("bytesUsed", used?.bytes ?? 0)
      $0.field("bytesMax", samples.bytesMax)
      $0.field(
        "oldest", used?.oldest.map { Instant(millisecondsSince1970: $0).description })
    }
  }

  @Sendable private func readImportedTypes(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let chosen = try await dependencies.database.row(ChosenTypes(account: caller.account))
    let disabled = DataTypeSet(stored: chosen?.disabled ?? 0)
    let now = dependencies.environment.now()
    let pausedUntil = chosen?.pausedUntil.flatMap { now < $0 ? $0.description : nil }
    return .json {
      $0.field("types", DataType.allCases.map(\.name))
      $0.field("enabled", DataType.allCases.map { !disabled.contains($0) })
      $0.field("pausedUntil", pausedUntil)
    }
  }

  @Sendable private func chooseImportedTypes(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let chosen = try request.payload(ChooseImportedTypesBody.self)
    return try await dependencies.effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        EnsureSampleAccount(account: caller.account),
        ChooseTypes(
          account: caller.account, on: chosen.on.storedBits, off: chosen.off.storedBits),
        MarkAllMonths(
          account: caller.account, types: chosen.on.union(chosen.off),
          firstOpenDay: samples.rules.firstOpenDay(at: dependencies.environment.now())))
      if !chosen.off.isEmpty {
        try await dependencies.recipients.unavailable(
          of: caller.account, chosen.off, .switchedOff, in: transaction)
      }
      return .message("Settings updated")
    }
  }
}
