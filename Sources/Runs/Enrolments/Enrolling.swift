import Data4HelpSync
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Joining a run and leaving it, inside a transaction (R45, R46, RUN-3).
package struct Enrolling: Sendable {
  let environment: Environment
  let checkIns: CheckIns

  /// Creates the operations with this clock. Notifications about them are added to the outbox of
  /// the check-ins.
  package init(environment: Environment, checkIns: CheckIns) {
    self.environment = environment
    self.checkIns = checkIns
  }

  /// The choices of a runner for a run.
  package struct Choice: Sendable {
    /// The name shown to spectators, sealed; nil to show only the number.
    package var sealedName: [UInt8]?
    /// Whether spectators see heart rate and energy (RUN-6).
    package var showsHealth = false
    /// Whether a spectator who knows the chosen name, email or fiscal code finds the runner
    /// (RUN-7).
    package var isFindable = true
    /// Whether a spectator who knows the runner's real name finds the runner as well (RUN-7).
    package var isFindableByName = false
    /// The version of the run's clauses that the runner accepts (RUN-16).
    package var clausesVersion: Int32?

    /// Creates the defaults.
    package init() {}
  }

  /// Enrols a runner, and asks for a check-in at once if the other runners were already asked
  /// (R39).
  ///
  /// If the obstacle has disappeared when its reason is looked up, the run is locked for another
  /// try, so that no other enrolment comes between.
  ///
  /// - Throws: `unavailable`, also if another run of the runner keeps appearing and disappearing.
  package func join(
    _ runID: Int64, by runner: AccountID, _ choice: Choice = Choice(),
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> JoinOutcome {
    for attempt in 0..<Self.attemptsMax {
      if attempt > 0 { try await transaction.run(HoldRun(runID: runID)) }
      let (_, _, places) = try await transaction.run(
        KeepTimesOfRuns(), HoldRunner(runner: runner),
        JoinRun(
          runID: runID, runner: runner, sealedName: choice.sealedName,
          showsHealth: choice.showsHealth, isFindable: choice.isFindable,
          isFindableByName: choice.isFindableByName, clausesVersion: choice.clausesVersion,
          now: environment.now()))
      if let place = places.first {
        try await welcome(runner, to: runID, at: place, in: transaction)
        return .joined(number: place.number)
      }
      let refusal = try await refusal(
        of: runID, by: runner, accepting: choice.clausesVersion, in: transaction)
      if let refusal { return .refused(refusal) }
    }
    throw .unavailable(retryAfter: 1)
  }

  /// The largest number of tries if the obstacle disappears each time before it is read.
  private static let attemptsMax = 5

  private func welcome(
    _ runner: AccountID, to runID: Int64, at place: JoinRun.Row,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let notification = RunNotification(runID, place.runName, startsAt: place.startsAt)
    try await checkIns.outbox.add(
      [notification.order(.joined(number: place.number), to: [runner])], in: transaction)
    if place.isCheckInOpen {
      try await checkIns.ask(place.number, runner, of: runID, in: transaction)
    }
  }

  /// The part of the result that remains after a runner leaves.
  package enum KeptResult: Sendable {
    /// There is none: the runner has not finished.
    case none
    /// It stays in the form used for deleted runners.
    case anonymous
    /// It stays under the chosen name.
    case named
  }

  /// Ends a runner's enrolment, at any time, and with it the check-in.
  ///
  /// - Throws: `unavailable`.
  package func leave(
    _ runID: Int64, by runner: AccountID, keeping result: KeptResult = .none,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> LeaveOutcome {
    let (_, _, removed) = try await transaction.run(
      HoldRunner(runner: runner), HoldRun(runID: runID),
      LeaveRun(
        runID: runID, runner: runner, reason: result == .none ? .beforeFinish : .afterFinish,
        keepsName: result == .named, now: environment.now()))
    guard let left = removed.first else { return .notEnrolled }
    let notification = RunNotification(runID, left.runName, startsAt: left.startsAt)
    try await checkIns.outbox.add(
      [notification.order(.left, to: [runner]), .ends([left.requestID].compactMap(\.self))],
      in: transaction)
    return .left(number: left.number)
  }

  /// The reason why the runner could not be enrolled, by the rules of the domain; nil if it no
  /// longer exists.
  private func refusal(
    of runID: Int64, by runner: AccountID, accepting clausesVersion: Int32?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> JoinRefusal? {
    let now = environment.now()
    let (rows, own) = try await transaction.run(
      RunByID(runID: runID), EnrolmentTimes(runner: runner, now: now))
    guard let row = rows.first else { return .notListed }
    let others = own.filter { $0.runID != runID }.compactMap { other in
      RunTimes(startsAt: other.startsAt, endsAt: other.endsAt)
    }
    return try row.run().refusal(
      ofJoiningBy: runner, whoIsEnrolled: own.contains { $0.runID == runID }, in: others,
      accepting: clausesVersion, now: now.flooredToMilliseconds)
  }
}

/// The outcome of joining.
package enum JoinOutcome: Equatable, Sendable {
  /// The runner is enrolled under this number.
  case joined(number: Int32)
  /// Nothing was done.
  case refused(JoinRefusal)
}

/// The outcome of leaving.
package enum LeaveOutcome: Equatable, Sendable {
  /// The enrolment under this number is over.
  case left(number: Int32)
  /// The runner was not enrolled.
  case notEnrolled
}
