import AutomatedSOS
import Bytes
import Domain
import Postgres
import Time

/// An emergency as stored. Every change of it is one of the functions here, under the lock of its
/// row; the statement that stores the change names the previous stage.
struct EmergencyRow: Sendable {
  let id: UniversalID
  let account: AccountID
  let rule: EmergencyRule
  private(set) var stage: EmergencyStage
  /// The time on the device's clock.
  let firstCritical: Int64
  let suspectedAt: Instant
  private(set) var abortUntil: Instant
  /// The time at which the stage ends by itself.
  private(set) var dueAt: Instant?
  /// The rule raises no other emergency before this time.
  private(set) var quietUntil: Instant?
  private(set) var trackedUntil: Instant
  private(set) var askedAt: Instant?
  private(set) var confirmedAt: Instant?
  private(set) var dispatchedAt: Instant?
  private(set) var acknowledgedAt: Instant?
  private(set) var endedAt: Instant?
  private(set) var outcome: EmergencyOutcome?
  var sealedDetails: [UInt8]

  static let columnList: StaticString = """
    emergency_id, account_id, rule, stage, first_critical, suspected_at, abort_until, due_at,
    quiet_until, tracked_until, asked_at, confirmed_at, dispatched_at, acknowledged_at, ended_at,
    outcome, sealed_details
    """
  static let columns = Columns(EmergencyRow.init)

  var isDrill: Bool { rule == .drill }

  /// How long replicas keep an ended emergency without a quiet period in memory.
  static let followed = Duration.seconds(10)
  /// An emergency in progress is always remembered.
  static let always = Instant.infinity
  /// The time after which no further calls are placed.
  private static let callingMax = Duration.seconds(24 * 3600)
}

// MARK: Transitions

extension EmergencyRow {
  /// Its state in the detector's library, which decides what may happen to it, and when.
  private(set) var life: EmergencyLife {
    get {
      EmergencyLife(
        stage, dueAt: dueAt.map { Moment($0) }, quietUntil: quietUntil.map { Moment($0) })
    }
    set {
      (stage, dueAt, quietUntil) = (
        newValue.stage, newValue.dueAt?.instant, newValue.quietUntil?.instant
      )
    }
  }

  /// Applies a detector's decision; false if that changes nothing.
  mutating func take(_ transition: EmergencyTransition, at now: Instant) -> Bool {
    switch transition.kind {
    case .suspected: return false
    case .asked:
      let window = Duration.milliseconds(transition.emergency.windowMilliseconds)
      guard life.ask(answerBy: Moment(now + window)) else { return false }
      askedAt = now
      return true
    case .confirmed: return confirm(at: now)
    case .withdrawn:
      guard life.withdraw(transition.emergency.rule) else { return false }
      end(at: now)
      return true
    }
  }

  /// Ends a stage before the call if its time is over: the person is asked and has a window to
  /// answer, or has not answered. False if nothing is due, or if a call is due.
  mutating func advance(at now: Instant, window: Duration) -> Bool {
    let stage = life.advance(
      at: Moment(now), answerBy: Moment(now + window), abortUntil: Moment(abortUntil))
    switch stage {
    case .asked: askedAt = now
    case .confirmed: confirmedAt = now
    default: return false
    }
    return true
  }

  /// Confirms it after further readings.
  private mutating func confirm(at now: Instant) -> Bool {
    guard life.confirm(at: Moment(now), abortUntil: Moment(abortUntil)) else { return false }
    confirmedAt = now
    return true
  }

  /// Aborts it for the person; false if it is too late, by the clock of the process that received
  /// the abort.
  mutating func abort(at now: Instant) -> Bool {
    guard life.abort(at: Moment(now)) else { return false }
    end(at: now)
    return true
  }

  /// Whether a call is due now.
  func isCallDue(at now: Instant) -> Bool { life.isCallDue(at: Moment(now)) }

  /// Whether calls were placed for the longest time, so that it ends as unanswered.
  func isCallingOver(at now: Instant) -> Bool {
    dispatchedAt.map { now > $0 + Self.callingMax } ?? false
  }

  /// A recipient is called and must acknowledge within this time.
  mutating func call(at now: Instant, acknowledgeWithin time: Duration) {
    guard life.call(at: Moment(now), nextAt: Moment(now + time)) else { return }
    dispatchedAt = dispatchedAt ?? now
    trackedUntil = Self.always
  }

  /// The recipient is listening to a voice call: no other call is placed meanwhile.
  mutating func listen(until time: Instant) { waitForTurn(until: max(dueAt ?? time, time)) }

  /// The recipient hung up before the end of the message: the next call is due at `time` again.
  mutating func callAgain(at time: Instant) { waitForTurn(until: min(dueAt ?? time, time)) }

  /// The emergency number is already being called for the person: this emergency checks again then.
  mutating func waitForTurn(until time: Instant) { _ = life.postponeCall(to: Moment(time)) }

  /// A hospital has acknowledged it, or the message was heard at the emergency number.
  mutating func acknowledge(at now: Instant) {
    guard life.acknowledge(at: Moment(now)) else { return }
    acknowledgedAt = now
    trackedUntil = quietUntil ?? now
  }

  /// Ends it, after a call or as a drill.
  mutating func close(_ stage: EmergencyStage, _ outcome: EmergencyOutcome?, at now: Instant) {
    guard life.close(stage, at: Moment(now)) else { return }
    end(at: now)
    self.outcome = outcome
  }

  private mutating func end(at now: Instant) {
    endedAt = now
    trackedUntil = quietUntil ?? now + Self.followed
  }
}

// MARK: Beginning

extension EmergencyRow {
  /// A new decision of a detector as a row; its details are not sealed.
  init(_ id: UniversalID, _ transition: EmergencyTransition, of account: AccountID) {
    self.init(
      id, account, EmergencyRule(transition.emergency.rule),
      EmergencyLife(suspectedAt: transition.emergency.suspectedAt),
      firstCritical: transition.emergency.firstCritical.milliseconds,
      suspectedAt: transition.emergency.suspectedAt.instant,
      abortUntil: transition.emergency.abortUntil.instant)
    _ = take(transition, at: suspectedAt)
  }

  /// A drill, which is confirmed from the beginning.
  init(drill id: UniversalID, of account: AccountID, at now: Instant, window: Duration) {
    self.init(
      id, account, .drill, EmergencyLife(suspectedAt: Moment(now)),
      firstCritical: now.millisecondsSince1970, suspectedAt: now, abortUntil: now + window)
    _ = confirm(at: now)
  }

  private init(
    _ id: UniversalID, _ account: AccountID, _ rule: EmergencyRule, _ life: EmergencyLife,
    firstCritical: Int64, suspectedAt: Instant, abortUntil: Instant
  ) {
    self.init(
      id: id, account: account, rule: rule, stage: life.stage, firstCritical: firstCritical,
      suspectedAt: suspectedAt, abortUntil: abortUntil, dueAt: life.dueAt?.instant,
      quietUntil: nil, trackedUntil: Self.always, askedAt: nil, confirmedAt: nil,
      dispatchedAt: nil, acknowledgedAt: nil, endedAt: nil, outcome: nil, sealedDetails: [])
  }

  /// The warning is stored late: the person sees it only now, so every window starts now.
  mutating func warnLate(at now: Instant) {
    let late = Duration.microseconds(
      now.microsecondsSince1970 - suspectedAt.microsecondsSince1970)
    abortUntil = abortUntil + late
    dueAt = dueAt.map { $0 + late }
  }
}

// MARK: Offline

extension EmergencyRow {
  /// An emergency from its followed state alone.
  init(_ known: FollowedEmergency) {
    self.init(
      id: known.id, account: known.account, rule: known.rule, stage: known.stage,
      firstCritical: known.firstCritical, suspectedAt: known.suspectedAt,
      abortUntil: known.abortUntil, dueAt: known.dueAt, quietUntil: known.quietUntil,
      trackedUntil: Self.always, askedAt: nil, confirmedAt: nil, dispatchedAt: nil,
      acknowledgedAt: nil, endedAt: nil, outcome: nil, sealedDetails: [])
  }

  /// Takes over the stored progress, unless this row has advanced further.
  mutating func follow(_ stored: FollowedEmergency) {
    guard stored.stage >= stage else { return }
    (stage, abortUntil, dueAt) = (stored.stage, stored.abortUntil, stored.dueAt)
  }

  /// Keeps the times of the stored row.
  mutating func keepTimes(of stored: EmergencyRow) {
    askedAt = stored.askedAt ?? askedAt
    confirmedAt = stored.confirmedAt ?? confirmedAt
  }

  /// The state that the detectors follow.
  var followed: FollowedEmergency {
    FollowedEmergency(
      id: id, account: account, rule: rule, stage: stage, firstCritical: firstCritical,
      suspectedAt: suspectedAt, abortUntil: abortUntil, dueAt: dueAt, quietUntil: quietUntil)
  }
}

// MARK: As the detector knows it

/// The progress of an emergency, for the detectors of all replicas.
struct FollowedEmergency: Sendable, Equatable {
  let id: UniversalID
  let account: AccountID
  let rule: EmergencyRule
  let stage: EmergencyStage
  let firstCritical: Int64
  let suspectedAt: Instant
  let abortUntil: Instant
  let dueAt: Instant?
  let quietUntil: Instant?

  static let columns = Columns(FollowedEmergency.init)

  /// Orders the emergencies of a rule, including those of one upload.
  var measured: (Instant, Int64) { (suspectedAt, firstCritical) }

  /// Whether it occupies its rule: it is in progress or in its quiet period.
  func keepsRule(at now: Instant) -> Bool {
    stage <= .confirmed || quietUntil.map { now < $0 } ?? false
  }

  /// The end of the time in which readings belong to it although it is over. Nil while it is in
  /// progress, if its rule was ready at once, and for a drill.
  var quietOnceOver: Instant? { stage.isOver && rule != .drill ? quietUntil : nil }

  /// The detector's name of it; nil for a drill, which detectors do not know.
  var emergency: Emergency? {
    guard let rule = rule.detectorRule else { return nil }
    return Emergency(
      rule: rule, firstCritical: Moment(milliseconds: firstCritical),
      suspectedAt: Moment(suspectedAt), abortUntil: Moment(abortUntil))
  }

  /// Its state in the detector's library.
  var life: EmergencyLife {
    EmergencyLife(
      stage, dueAt: dueAt.map { Moment($0) }, quietUntil: quietUntil.map { Moment($0) })
  }
}

extension Moment {
  /// The same instant on the detector's clock, rounded down to milliseconds.
  init(_ time: Instant) { self.init(milliseconds: time.millisecondsSince1970) }

  /// The same instant, as stored and in the API.
  var instant: Instant { Instant(microsecondsSince1970: milliseconds * 1000) }
}
