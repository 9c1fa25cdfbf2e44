import AutomatedSOS
import Domain
import EventLoop
import Postgres
import Privacy
import Services

/// An emergency as it is stored. What happens to it is one of the functions here, under the lock of
/// its row; the statement that stores the change names the stage that it was.
struct EmergencyRow: Sendable {
  let id: UniversalID
  let account: AccountID
  let rule: EmergencyRule
  private(set) var stage: EmergencyStage
  /// By the device.
  let firstCritical: Int64
  let suspectedAt: WallTime
  private(set) var abortUntil: WallTime
  /// When the stage ends by itself.
  private(set) var dueAt: WallTime?
  /// Its rule raises no other one before.
  private(set) var quietUntil: WallTime?
  private(set) var followedUntil: WallTime
  private(set) var askedAt: WallTime?
  private(set) var confirmedAt: WallTime?
  private(set) var dispatchedAt: WallTime?
  private(set) var acknowledgedAt: WallTime?
  private(set) var endedAt: WallTime?
  private(set) var outcome: EmergencyOutcome?
  var sealedDetails: [UInt8]

  static let columnList: StaticString = """
    episode_id, account_id, rule, stage, first_critical, suspected_at, abort_until, due_at,
    quiet_until, followed_until, asked_at, confirmed_at, dispatched_at, acknowledged_at, ended_at,
    outcome, sealed_details
    """
  static let columns = Columns(EmergencyRow.init)

  var isDrill: Bool { rule == .drill }

  /// How long replicas remember an emergency that is over and keeps nothing quiet.
  static let followed = Duration.seconds(10)
  /// An emergency under way is kept in mind for good.
  static let always = WallTime(microsecondsSince1970: .max)
  /// The time after which no further calls are placed.
  static let callingMax = Duration.seconds(24 * 3600)
}

// MARK: What happens to it

extension EmergencyRow {
  /// How far it is, as the library has it: what may happen to it, and when, is decided there.
  private(set) var life: EmergencyLife {
    get {
      EmergencyLife(
        stage, dueAt: dueAt.map { Moment($0) }, quietUntil: quietUntil.map { Moment($0) })
    }
    set {
      (stage, dueAt, quietUntil) = (
        newValue.stage, newValue.dueAt?.wallTime, newValue.quietUntil?.wallTime
      )
    }
  }

  /// Takes over what a detector decided; false where that changes nothing.
  mutating func take(_ step: EmergencyStep, at now: WallTime) -> Bool {
    switch step.kind {
    case .suspected: return false
    case .asked:
      let window = Duration.milliseconds(step.emergency.windowMilliseconds)
      guard life.ask(answerBy: Moment(now + window)) else { return false }
      askedAt = now
      return true
    case .confirmed: return confirm(at: now)
    case .withdrawn:
      guard life.withdraw(step.emergency.rule) else { return false }
      end(at: now)
      return true
    }
  }

  /// Advances to the next stage before the call if this one is over: the person is asked and has a
  /// window to answer, or has not answered. False if nothing is due, or a call is.
  mutating func advance(at now: WallTime, window: Duration) -> Bool {
    let stage = life.advance(
      at: Moment(now), answerBy: Moment(now + window), abortUntil: Moment(abortUntil))
    switch stage {
    case .asked: askedAt = now
    case .confirmed: confirmedAt = now
    default: return false
    }
    return true
  }

  /// Readings confirm it.
  private mutating func confirm(at now: WallTime) -> Bool {
    guard life.confirm(at: Moment(now), abortUntil: Moment(abortUntil)) else { return false }
    confirmedAt = now
    return true
  }

  /// The person aborts; false if it is too late, by the clock of the process that was asked.
  mutating func abort(at now: WallTime) -> Bool {
    guard life.abort(at: Moment(now)) else { return false }
    end(at: now)
    return true
  }

  /// Whether a call is due now.
  func isCallDue(at now: WallTime) -> Bool { life.isCallDue(at: Moment(now)) }

  /// A recipient is called, and has this time to acknowledge.
  mutating func call(at now: WallTime, acknowledgeWithin time: Duration) {
    guard life.call(at: Moment(now), nextAt: Moment(now + time)) else { return }
    dispatchedAt = dispatchedAt ?? now
    followedUntil = Self.always
  }

  /// The recipient listens to a call by voice: no other one is called meanwhile.
  mutating func listen(until time: WallTime) { waitForTurn(until: max(dueAt ?? time, time)) }

  /// They hung up before the end of the message: the next call is due at `time` again.
  mutating func callAgain(at time: WallTime) { waitForTurn(until: min(dueAt ?? time, time)) }

  /// The emergency number is called for the person already: this one looks again then.
  mutating func waitForTurn(until time: WallTime) { _ = life.postponeCall(to: Moment(time)) }

  /// A hospital has it.
  mutating func acknowledge(at now: WallTime) {
    guard life.acknowledge(at: Moment(now)) else { return }
    acknowledgedAt = now
    followedUntil = quietUntil ?? now
  }

  /// It is over, after somebody was called or as a drill.
  mutating func close(_ stage: EmergencyStage, _ outcome: EmergencyOutcome?, at now: WallTime) {
    guard life.close(stage, at: Moment(now)) else { return }
    end(at: now)
    self.outcome = outcome
  }

  private mutating func end(at now: WallTime) {
    endedAt = now
    followedUntil = quietUntil ?? now + Self.followed
  }
}

// MARK: How it begins

extension EmergencyRow {
  /// What a detector has just decided, as it is stored from then on; its details are not sealed.
  init(_ id: UniversalID, _ step: EmergencyStep, of account: AccountID) {
    self.init(
      id, account, EmergencyRule(step.emergency.rule),
      EmergencyLife(suspectedAt: step.emergency.suspectedAt),
      firstCritical: step.emergency.firstCritical.milliseconds,
      suspectedAt: step.emergency.suspectedAt.wallTime,
      abortUntil: step.emergency.abortUntil.wallTime)
    _ = take(step, at: suspectedAt)
  }

  /// A drill, which is confirmed from its beginning on.
  init(drill id: UniversalID, of account: AccountID, at now: WallTime, window: Duration) {
    self.init(
      id, account, .drill, EmergencyLife(suspectedAt: Moment(now)),
      firstCritical: now.millisecondsSince1970, suspectedAt: now, abortUntil: now + window)
    _ = confirm(at: now)
  }

  private init(
    _ id: UniversalID, _ account: AccountID, _ rule: EmergencyRule, _ life: EmergencyLife,
    firstCritical: Int64, suspectedAt: WallTime, abortUntil: WallTime
  ) {
    self.init(
      id: id, account: account, rule: rule, stage: life.stage, firstCritical: firstCritical,
      suspectedAt: suspectedAt, abortUntil: abortUntil, dueAt: life.dueAt?.wallTime,
      quietUntil: nil, followedUntil: Self.always, askedAt: nil, confirmedAt: nil,
      dispatchedAt: nil, acknowledgedAt: nil, endedAt: nil, outcome: nil, sealedDetails: [])
  }

  /// The warning is stored late: the person sees it only now, and every window runs from here.
  mutating func warnLate(at now: WallTime) {
    let late = Duration.microseconds(
      now.microsecondsSince1970 - suspectedAt.microsecondsSince1970)
    abortUntil = abortUntil + late
    dueAt = dueAt.map { $0 + late }
  }
}

// MARK: Without the database

extension EmergencyRow {
  /// An emergency from its followed state alone.
  init(_ known: FollowedEmergency) {
    self.init(
      id: known.id, account: known.account, rule: known.rule, stage: known.stage,
      firstCritical: known.firstCritical, suspectedAt: known.suspectedAt,
      abortUntil: known.abortUntil, dueAt: known.dueAt, quietUntil: known.quietUntil,
      followedUntil: Self.always, askedAt: nil, confirmedAt: nil, dispatchedAt: nil,
      acknowledgedAt: nil, endedAt: nil, outcome: nil, sealedDetails: [])
  }

  /// Takes over how far it is stored, unless it is further.
  mutating func follow(_ stored: FollowedEmergency) {
    guard stored.stage >= stage else { return }
    (stage, abortUntil, dueAt) = (stored.stage, stored.abortUntil, stored.dueAt)
  }

  /// Keeps the times of what was stored before.
  mutating func keepTimes(of stored: EmergencyRow) {
    askedAt = stored.askedAt ?? askedAt
    confirmedAt = stored.confirmedAt ?? confirmedAt
  }

  /// As the detectors follow it.
  var followed: FollowedEmergency {
    FollowedEmergency(
      id: id, account: account, rule: rule, stage: stage, firstCritical: firstCritical,
      suspectedAt: suspectedAt, abortUntil: abortUntil, dueAt: dueAt, quietUntil: quietUntil)
  }
}

// MARK: As the detector knows it

/// How far an emergency is, for the detectors of all replicas.
struct FollowedEmergency: Sendable, Equatable {
  let id: UniversalID
  let account: AccountID
  let rule: EmergencyRule
  let stage: EmergencyStage
  let firstCritical: Int64
  let suspectedAt: WallTime
  let abortUntil: WallTime
  let dueAt: WallTime?
  let quietUntil: WallTime?

  static let columns = Columns(FollowedEmergency.init)

  /// By which the later one of a rule is told from the earlier one, also of one upload.
  var measured: (WallTime, Int64) { (suspectedAt, firstCritical) }

  /// Whether it occupies its rule: it is under way or in its quiet period.
  func keepsRule(at now: WallTime) -> Bool {
    stage <= .confirmed || quietUntil.map { now < $0 } ?? false
  }

  /// The end of the time in which readings belong to it although it is over; nil while it is under
  /// way, where its rule was ready at once, and for a drill.
  var quietOnceOver: WallTime? { stage.isOver && rule != .drill ? quietUntil : nil }

  /// As the detector knows it; nil for a drill, which detectors do not know.
  var emergency: Emergency? {
    guard let rule = rule.detectorRule else { return nil }
    return Emergency(
      rule: rule, firstCritical: Moment(milliseconds: firstCritical),
      suspectedAt: Moment(suspectedAt), abortUntil: Moment(abortUntil))
  }

  /// How far it is.
  var life: EmergencyLife {
    EmergencyLife(
      stage, dueAt: dueAt.map { Moment($0) }, quietUntil: quietUntil.map { Moment($0) })
  }
}

extension Moment {
  /// The same moment by the detector's clock, rounded down to milliseconds.
  init(_ time: WallTime) { self.init(milliseconds: time.millisecondsSince1970) }

  /// The same moment as it is stored.
  var wallTime: WallTime { WallTime(microsecondsSince1970: milliseconds * 1000) }
}
