import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import PublicAPI
import Services

/// Single users' access to their own data: upload (R6-R9), reading (R15-R17), used room (DAT-5) and
/// the choice of imported types (DAT-1).
package struct HealthDataRoutes: Sendable {
  let surroundings: Surroundings
  private let samples: SampleStore
  private let roomNotices: RoomNotices
  private let pairedTypes: PairedTypes
  private let watch: EmergencyWatch?

  /// Routes over these samples, on the same loop; `watch` examines uploads for emergencies.
  package init(
    _ surroundings: Surroundings, samples: SampleStore, watch: EmergencyWatch? = nil
  ) {
    self.surroundings = surroundings
    self.samples = samples
    self.watch = watch
    roomNotices = RoomNotices(surroundings, bytesMax: samples.bytesMax)
    pairedTypes =
      watch?.pairedTypes ?? PairedTypes(on: surroundings.loop, log: surroundings.log)
  }

  /// The rows of the route table.
  package var routes: [Route] {
    let routes = surroundings.routes
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
    let isSaidToBeWatched = request.head.fields[.internalWatched] == "1"
    let received: ReceivedSamples
    do throws(ApplicationError) {
      received = try UploadPayload.samples(
        in: request.body.bytes, now: surroundings.world.now().timestamp, from: caller.device)
    } catch {
      guard let watch else { throw error }
      _ = await watch.watches(caller.account, isSaid: isSaidToBeWatched)
      let readable = ReceivedSamples(readableIn: request.body.bytes, from: caller.device)
      throw await watch.refusal(error, judging: readable, from: caller)
    }
    var isChecked = false
    if let watch, await watch.watches(caller.account, isSaid: isSaidToBeWatched) {
      isChecked = try await watch.check(received, from: caller, in: "dataTypes")
      // Before any query: an emergency must not wait for an ordinary connection.
      watch.take(received, of: caller.account)
    }
    guard let watch else {
      return try await checkAndStore(received, request, caller, isChecked: isChecked)
    }
    var response: Response
    if watch.monitoring.watches(caller.account) {
      response = try await watch.whileDatabaseAnswers { [isChecked] () throws(ApplicationError) in
        try await checkAndStore(received, request, caller, isChecked: isChecked)
      }
    } else {
      response = try await checkAndStore(received, request, caller, isChecked: isChecked)
    }
    response.fields.append(
      .internalWatched, watch.monitoring.watches(caller.account) ? "1" : "0")
    return response
  }

  private func checkAndStore(
    _ received: ReceivedSamples, _ request: Request, _ caller: Identity, isChecked: Bool
  ) async throws(ApplicationError) -> Response {
    if !isChecked {
      try await pairedTypes.check(received.all, from: caller, asking: surroundings.database)
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
      return try await surroundings.effects.run(request, for: caller.account) {
        (transaction) throws(ApplicationError) in
        guard !stored.isEmpty else {
          return Self.answer(AppendOutcome(), sensorFaults: faults)
        }
        outcome = try await samples.append(stored, to: caller.account, in: transaction)
        try await roomNotices.tell(caller.account, dropped: outcome.dropped, in: transaction)
        return Self.answer(outcome, sensorFaults: faults)
      }
    }
    guard !stored.isEmpty else { return Self.answer(AppendOutcome(), sensorFaults: faults) }
    let outcome = try await samples.upload(stored, to: caller.account)
    await roomNotices.tell(caller.account, dropped: outcome.dropped)
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
    let sealingKey = try await surroundings.accountKeys.key(of: caller.account)
    let rows = try await surroundings.database.rows(
      ChunksOfPeriod(
        account: caller.account, types: types,
        period: StoredPeriod(period, zone: surroundings.zone)))
    var reader = StatisticsReader(account: caller.account, period, sealingKey)
    try intact { () throws(SampleStoreError) in
      for row in rows { try reader.add(row) }
      try reader.countOnce(rows)
    }
    return .json { writer in
      writer.array("dataTypes") { writer in
        for type in types {
          guard let (summary, newest) = reader.take(type) else { continue }
          summary.write(type, date: surroundings.zone.day(of: newest), to: &writer)
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
    let used = try await surroundings.database.row(RoomUsed(account: caller.account))
    return .json {
      $0.field("bytesUsed", used?.bytes ?? 0)
      $0.field("bytesMax", samples.bytesMax)
      $0.field(
        "oldest", used?.oldest.map { Timestamp(millisecondsSince1970: $0).description })
    }
  }

  @Sendable private func readImportedTypes(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let chosen = try await surroundings.database.row(ChosenTypes(account: caller.account))
    let disabled = DataTypeSet(stored: chosen?.disabled ?? 0)
    let now = surroundings.world.now()
    let pausedUntil = chosen?.pausedUntil.flatMap { now < $0 ? $0.timestamp.description : nil }
    return .json {
      $0.field("types", DataType.allCases.map(\.name))
      $0.field("enabled", DataType.allCases.map { !disabled.contains($0) })
      $0.field("pausedUntil", pausedUntil)
    }
  }

  @Sendable private func chooseImportedTypes(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let chosen = try request.payload(ImportedTypesPayload.self)
    return try await surroundings.effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        EnsureSampleAccount(account: caller.account),
        ChooseTypes(
          account: caller.account, on: chosen.on.storedBits, off: chosen.off.storedBits),
        MarkAllMonths(
          account: caller.account, types: chosen.on.union(chosen.off),
          firstOpenDay: samples.rules.firstOpenDay(at: surroundings.world.now())))
      if !chosen.off.isEmpty {
        try await surroundings.events.unavailable(
          of: caller.account, chosen.off, .switchedOff, in: transaction)
      }
      return .message("Settings updated")
    }
  }
}
