import Domain
import Foundation
import HealthRecords
import InternalAPI
import JSON
import Sharing
import Support
import Testing
import Time

/// A run for which Track4Run sends check-ins to Data4Help: of the clinic, from four to six hours
/// after the stage's clock begins.
package enum CheckedInRun {
  package static let startsAfterSeconds: Int64 = 4 * 3600
  package static let lastsSeconds: Int64 = 2 * 3600

  /// The identifier of a runner's request.
  package static func requestID(_ number: UInt64) -> DataRequestID {
    DataRequestID(high: 0xA11C_E000_0000_4000, low: 0x8000_0000_0000_0000 | number)
  }
}

extension SingleRequestStage {
  /// A batch for these runners; each request has the number of the account.
  package func batch(
    _ accounts: [AccountID] = [Known.mario], organiser: AccountID = Known.clinic,
    lasting seconds: Int64 = CheckedInRun.lastsSeconds, named name: String = "Giro del lago"
  ) -> CheckInBatch {
    let start = Instant(millisecondsSince1970: 1_795_003_200_000)
      .adding(seconds: CheckedInRun.startsAfterSeconds)
    return CheckInBatch(
      organiser: organiser, runID: 7, code: "ABCDEFGH", runName: name, startsAt: start,
      endsAt: start.adding(seconds: seconds),
      runners: accounts.map {
        CheckInBatch.Runner(CheckedInRun.requestID(UInt64($0.rawValue)), $0)
      })
  }

  /// Sends a batch, and returns the outcomes of its requests.
  package func checkIn(_ batch: CheckInBatch) async throws -> [CheckInOutcome] {
    let reply = try await callInternally(InternalPath.requests, json(batch))
    #expect(reply.status == 200)
    return try JSONReader.read(CheckInOutcomes.self, from: Array(reply.text.utf8)).outcomes
  }

  /// Opens the check-in of Mario alone, who has a position; returns the request's identifier.
  package func checkInMario() async throws -> String {
    try await storePosition(of: Known.mario)
    #expect(try await checkIn(batch()) == [.sent])
    return CheckedInRun.requestID(UInt64(Known.mario.rawValue)).description
  }

  /// Runs a test about the check-in of Mario alone, which is opened and unanswered.
  package static func withCheckIn(
    _ body: @escaping @Sendable (SingleRequestStage, _ requestID: String) async throws -> Void
  ) async throws {
    try await with { stage in
      try await stage.populate()
      try await body(stage, try await stage.checkInMario())
    }
  }

  /// Moves the clock to the end of the run of an accepted check-in, and records the end.
  package func endRun() async throws {
    start()
    clock.advance(seconds: CheckedInRun.lastsSeconds)
    #expect(try await workers.relay() == 1)
  }

  /// Stores a current position.
  package func storePosition(of account: AccountID, latitude: Double = 45.4781) async throws {
    let point = try GeoPoint(latitude: latitude, longitude: 9.2273)
    _ = try await samples.append(
      [NewSample(type: .position, time: clock.now, value: .position(point))], to: account)
  }

  /// Moves the clock to the start of the run.
  package func start() { clock.advance(seconds: CheckedInRun.startsAfterSeconds) }

  package func withdraw(_ requestIDs: [String]) async throws -> Reply {
    let ends = CheckInEnds(requestIDs.compactMap { DataRequestID($0) })
    return try await callInternally(InternalPath.ends, json(ends))
  }

  /// A value as the body of a call.
  package func json(_ value: some JSONWritable) -> String {
    var writer = JSONWriter()
    writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
