import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services

/// Joining a run and leaving it, inside a transaction (R45, R46, RUN-3).
package struct Enrolling: Sendable {
  private let world: World

  /// Effects by this clock.
  package init(world: World) { self.world = world }

  /// What a runner chose for a run.
  package struct Choice: Sendable {
    /// The name to be shown, sealed; nil for the number alone.
    package var sealedName: [UInt8]?
    /// Whether spectators see heart rate and energy (RUN-6).
    package var showsHealth = false
    /// Whether who knows the runner's name, email or fiscal code finds the runner (RUN-7).
    package var isFindable = true

    /// The choice of who chose nothing.
    package init() {}
  }

  /// Enrols a runner.
  ///
  /// - Throws: 503, also where what stood in the way was gone a moment later.
  package func join(
    _ runID: Int64, by runner: AccountID, _ choice: Choice = Choice(),
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> JoinOutcome {
    let (_, numbers) = try await transaction.run(
      HoldRunner(runner: runner),
      JoinRun(
        runID: runID, runner: runner, sealedName: choice.sealedName,
        showsHealth: choice.showsHealth, isFindable: choice.isFindable, now: world.now()))
    if let number = numbers.first { return .joined(number: number) }
    return .refused(try await refusal(of: runID, by: runner, in: transaction))
  }

  /// Ends a runner's enrolment, at any time.
  ///
  /// - Throws: 503.
  package func leave(
    _ runID: Int64, by runner: AccountID, in transaction: Transaction<Problem>
  ) async throws(Problem) -> LeaveOutcome {
    let (_, _, gone) = try await transaction.run(
      HoldRunner(runner: runner), HoldRun(runID: runID),
      LeaveRun(runID: runID, runner: runner, now: world.now()))
    guard let left = gone.first else { return .notEnrolled }
    return .left(number: left.number, checkInRequest: left.requestID)
  }

  /// Why nobody could be enrolled, by the rules of the domain.
  private func refusal(
    of runID: Int64, by runner: AccountID, in transaction: Transaction<Problem>
  ) async throws(Problem) -> JoinRefusal {
    let now = world.now()
    let (rows, own) = try await transaction.run(
      RunByID(runID: runID), EnrolmentTimes(runner: runner, now: now))
    guard let row = rows.first else { return .notListed }
    let others = own.filter { $0.runID != runID }.compactMap { other in
      RunTimes(startsAt: other.startsAt.timestamp, endsAt: other.endsAt.timestamp)
    }
    let refusal = try row.run().refusal(
      ofJoiningBy: runner, whoIsEnrolled: own.contains { $0.runID == runID }, in: others,
      now: now.timestamp)
    guard let refusal else { throw .unavailable(retryAfter: 1) }
    return refusal
  }
}

/// What came of joining.
package enum JoinOutcome: Equatable, Sendable {
  /// The runner is enrolled under this number.
  case joined(number: Int32)
  /// Nothing was done.
  case refused(JoinRefusal)
}

/// What came of leaving.
package enum LeaveOutcome: Equatable, Sendable {
  /// The enrolment is over; the check-in request, if one was sent, is to be ended.
  case left(number: Int32, checkInRequest: UniversalID?)
  /// The runner was not enrolled.
  case notEnrolled
}
