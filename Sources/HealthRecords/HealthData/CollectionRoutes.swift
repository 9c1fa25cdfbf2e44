import Accounts
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Single users' control over the collection of their data: erase it (DAT-7), pause and resume it
/// (DAT-8).
package struct CollectionRoutes: Sendable {
  private let dependencies: HealthRecordsDependencies
  private let samples: SampleStore

  /// Routes over these samples, on the same loop.
  package init(_ dependencies: HealthRecordsDependencies, samples: SampleStore) {
    self.dependencies = dependencies
    self.samples = samples
  }

  /// The rows of the route table.
  package var routes: [Route] {
    [
      EndpointRoutes().identified(.eraseSamples, eraseSamples),
      EndpointRoutes().identified(.pauseCollection, pauseCollection),
    ]
  }

  @Sendable private func eraseSamples(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let period = try SamplePeriod(request.query)
    var types = DataType.allCases
    if let name = request.query["type"] {
      guard let type = DataType(name: name) else {
        throw .invalid("Name a data type.", field: "type")
      }
      types = [type]
    }
    let sealingKey = try await dependencies.accountKeys.key(of: caller.account)
    let erasing = SampleErasing(
      account: caller.account, types: types, period: period, sealingKey: sealingKey,
      zone: dependencies.zone,
      firstOpenDay: samples.rules.firstOpenDay(at: dependencies.environment.now()))
    let erased = try await dependencies.database.transaction(within: .seconds(60)) {
      (transaction) throws(ApplicationError) in
      let erased = try await erasing.erase(in: transaction)
      if erased.samples > 0 {
        try await dependencies.recipients.erased(
          of: caller.account, DataTypeSet(types), from: period.from, to: period.to,
          in: transaction)
      }
      return erased
    }
    dependencies.recipients.announce()
    return .message("Action successful") {
      $0.field("deleted", erased.samples)
      $0.field("bytesFreed", erased.bytes)
    }
  }

  @Sendable private func pauseCollection(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let pause = try request.payload(PauseUntilBody.self)
    let until = try pause.until(now: dependencies.environment.now().flooredToMilliseconds)
    defer {
      dependencies.recipients.announce()
      dependencies.notices.announce()
    }
    return try await dependencies.effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        EnsureSampleAccount(account: caller.account),
        PauseCollection(account: caller.account, until: until))
      if let until {
        try await dependencies.recipients.unavailable(
          of: caller.account, .all, .paused, until: until, in: transaction)
      }
      return .message("Settings updated") {
        $0.field("pausedUntil", until.map(\.description))
      }
    }
  }
}

extension PauseUntilBody {
  /// The maximum length of a pause: a leap year.
  private static let secondsMax: Int64 = 366 * 86_400

  /// The end of the pause, nil to resume.
  ///
  /// - Throws: `invalid` for an end in the past, and for one more than a year ahead.
  package func until(now: Instant) throws(ApplicationError) -> Instant? {
    guard let end else { return nil }
    guard end > now else {
      throw .invalid("A pause ends in the future; give null to resume.", field: "until")
    }
    guard end <= now.adding(seconds: Self.secondsMax) else {
      throw .invalid("A pause lasts 366 days at most.", field: "until")
    }
    return end
  }
}
