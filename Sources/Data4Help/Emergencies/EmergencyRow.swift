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

  /// How long a rule is quiet after an emergency of it (decision 0079).
  static let quiet = Duration.seconds(600)
  /// So long replicas keep one in mind that is over and keeps nothing quiet.
  static let followed = Duration.seconds(10)
  /// An emergency under way is kept in mind for good.
  static let always = WallTime(microsecondsSince1970: .max)
  /// After so long nobody is called any more.
  static let callingMax = Duration.seconds(24 * 3600)
}

// MARK: What happens to it

extension EmergencyRow {
  /// Nothing confirmed it: the person is asked, and has a window to answer.
  mutating func ask(at now: WallTime, window: Duration) {
    stage = .asked
    askedAt = now
    dueAt = now + window
  }

  /// Readings, or the want of an answer, confirm it.
  mutating func confirm(at now: WallTime) {
    stage = .confirmed
    confirmedAt = now
    dueAt = max(abortUntil, now)
  }

  /// Readings are in bounds again.
  mutating func withdraw(at now: WallTime) {
    end(.withdrawn, at: now)
    followedUntil = now + Self.followed
  }

  /// The person aborts; false if it is too late, by the clock of whoever was asked.
  mutating func abort(at now: WallTime) -> Bool {
    guard stage.isBeforeCall else { return false }
    if stage != .suspected, let dueAt, dueAt <= now { return false }
    end(.aborted, at: now)
    keepQuiet(from: now)
    return true
  }

  /// Somebody is called, and has so long to acknowledge.
  mutating func call(at now: WallTime, acknowledgeWithin time: Duration) {
    stage = .dispatched
    dispatchedAt = dispatchedAt ?? now
    dueAt = now + time
    keepQuiet(from: now)
    followedUntil = Self.always
  }

  /// Somebody listens to a call by voice: nobody else is called meanwhile.
  mutating func listen(until time: WallTime) { dueAt = max(dueAt ?? time, time) }

  /// They hung up before the end of the message: the next call is due at `time` again.
  mutating func callAgain(at time: WallTime) { dueAt = min(dueAt ?? time, time) }

  /// The emergency number is called for the person already: this one looks again then.
  mutating func waitForTurn(until time: WallTime) { dueAt = time }

  /// A hospital has it.
  mutating func acknowledge(at now: WallTime) {
    stage = .acknowledged
    acknowledgedAt = now
    dueAt = nil
    keepQuiet(from: now)
  }

  /// It is over, after somebody was called or as a drill.
  mutating func close(_ stage: EmergencyStage, _ outcome: EmergencyOutcome?, at now: WallTime) {
    end(stage, at: now)
    self.outcome = outcome
    if stage != .drillOver { keepQuiet(from: now) } else { followedUntil = now + Self.followed }
  }

  private mutating func end(_ stage: EmergencyStage, at now: WallTime) {
    self.stage = stage
    endedAt = now
    dueAt = nil
    quietUntil = nil
  }

  private mutating func keepQuiet(from now: WallTime) {
    let until = now + Self.quiet
    (quietUntil, followedUntil) = (until, until)
  }
}

// MARK: Without the database

extension EmergencyRow {
  /// What a detector has just decided, as it is stored from then on; its details are not sealed.
  init(_ id: UniversalID, _ episode: Episode, of account: AccountID) {
    let suspectedAt = episode.suspectedAt.wallTime
    self.init(
      id: id, account: account, rule: EmergencyRule(episode.rule), stage: .suspected,
      firstCritical: episode.firstCritical.milliseconds, suspectedAt: suspectedAt,
      abortUntil: episode.abortUntil.wallTime, dueAt: suspectedAt + EmergencyStore.askAfter,
      quietUntil: nil, followedUntil: Self.always, askedAt: nil, confirmedAt: nil,
      dispatchedAt: nil, acknowledgedAt: nil, endedAt: nil, outcome: nil, sealedDetails: [])
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

  /// Until when readings belong to it although it is over; nil while it goes on, where its rule was
  /// ready at once, and for a drill.
  var quietOnceOver: WallTime? { stage.isOver && rule != .drill ? quietUntil : nil }

  /// The episode of the detector; nil for a drill, of which no detector knows.
  var episode: Episode? {
    guard rule != .drill, let rule = Rule(rawValue: UInt8(rule.rawValue)) else { return nil }
    return Episode(
      rule: rule, firstCritical: Moment(milliseconds: firstCritical),
      suspectedAt: Moment(suspectedAt), abortUntil: Moment(abortUntil))
  }

  /// The stage of the detector.
  var detectorStage: EpisodeStage {
    let due = Moment(dueAt ?? suspectedAt)
    let quiet = Moment(quietUntil ?? suspectedAt)
    return switch stage {
    case .suspected: .suspected(askAt: due)
    case .asked: .asked(answerBy: due)
    case .confirmed: .confirmed(callAt: due)
    case .dispatched, .acknowledged: .dispatched(quietUntil: quiet)
    case .withdrawn, .drillOver: .withdrawn
    case .closed, .aborted, .falseAlarm, .unanswered: .over(quietUntil: quiet)
    }
  }
}

extension Moment {
  /// The same moment by the detector's clock, rounded down to milliseconds.
  init(_ time: WallTime) { self.init(milliseconds: time.millisecondsSince1970) }

  /// The same moment as it is stored.
  var wallTime: WallTime { WallTime(microsecondsSince1970: milliseconds * 1000) }
}
