/// The life of an emergency: how far it is, when that ends by itself, and what may happen next.
///
/// The detector runs one for each emergency that it decides. The service stores it, moves it on by
/// the clock, and runs it without the database; the simulated phone follows it. It reads no clock,
/// and every transition that the stage does not allow changes nothing and returns false.
public struct EmergencyLife: Hashable, Sendable {
  /// Unconfirmed for this long, the person is asked, in milliseconds (SOS-3: 30 s).
  public static let askMilliseconds: Int64 = 30_000
  /// How long a rule is quiet after an emergency of it, in milliseconds. No source names a time;
  /// the reason for ten minutes is in
  /// docs/decisions/0021-emergency-detection.md.
  public static let quietMilliseconds: Int64 = 600_000

  /// How far it is.
  public private(set) var stage: EmergencyStage
  /// When the stage ends by itself: the person is asked, it is confirmed, or the next call is due.
  /// Nil at stages that only somebody ends.
  public private(set) var dueAt: Moment?
  /// Before this moment its rule raises no other one; nil before the call, and where the rule was
  /// ready at once.
  public private(set) var quietUntil: Moment?

  /// Begins: the person is warned at `now`.
  public init(suspectedAt now: Moment) {
    (stage, dueAt) = (.suspected, now + Self.askMilliseconds)
  }

  /// A life as it was stored.
  public init(_ stage: EmergencyStage, dueAt: Moment?, quietUntil: Moment?) {
    (self.stage, self.dueAt, self.quietUntil) = (stage, dueAt, quietUntil)
  }
}

// MARK: Before the call

extension EmergencyLife {
  /// The person is asked; no answer by then confirms it.
  public mutating func ask(answerBy end: Moment) -> Bool {
    guard stage == .suspected else { return false }
    (stage, dueAt) = (.asked, end)
    return true
  }

  /// Readings, or the want of an answer, confirm it: a call is due at the end of the window, which
  /// is `abortUntil`, or now.
  public mutating func confirm(at now: Moment, abortUntil: Moment) -> Bool {
    guard stage == .suspected || stage == .asked else { return false }
    (stage, dueAt) = (.confirmed, max(abortUntil, now))
    return true
  }

  /// Readings are in bounds again. What is confirmed is withdrawn for no rule but the loss of a
  /// pulse: a pulse or a step says that the person lives.
  public mutating func withdraw(_ rule: Rule) -> Bool {
    guard stage < .confirmed || (stage == .confirmed && rule == .lossOfPulse) else {
      return false
    }
    end(.withdrawn, quietUntil: nil)
    return true
  }

  /// The person aborts it; false if it is too late.
  public mutating func abort(at now: Moment) -> Bool {
    guard stage.isBeforeCall else { return false }
    if stage != .suspected, let dueAt, dueAt <= now { return false }
    end(.aborted, quietUntil: now + Self.quietMilliseconds)
    return true
  }

  /// Advances to the next stage before the call if this one ends by now: unconfirmed, the person is
  /// asked until `answerBy`; unanswered, it is confirmed. Returns the new stage, or nil.
  public mutating func advance(
    at now: Moment, answerBy: Moment, abortUntil: Moment
  ) -> EmergencyStage? {
    guard let dueAt, dueAt <= now else { return nil }
    return ask(answerBy: answerBy) || confirm(at: now, abortUntil: abortUntil) ? stage : nil
  }

  /// No stage ends later than it would if it began now: after the clock was set back it would.
  mutating func limit(at now: Moment, window: Int64) {
    let longest = stage == .suspected ? Self.askMilliseconds : window
    dueAt = dueAt.map { min($0, now + longest) }
    quietUntil = quietUntil.map { min($0, now + Self.quietMilliseconds) }
  }
}

// MARK: From the call on

extension EmergencyLife {
  /// Whether the first call, or the next one, is due.
  public func isCallDue(at now: Moment) -> Bool {
    guard stage == .confirmed || stage == .dispatched, let dueAt else { return false }
    return dueAt <= now
  }

  /// Somebody is called; the next call is due at `next`, if it is known.
  public mutating func call(at now: Moment, nextAt next: Moment?) -> Bool {
    guard stage == .confirmed || stage == .dispatched else { return false }
    (stage, dueAt, quietUntil) = (.dispatched, next, now + Self.quietMilliseconds)
    return true
  }

  /// The next call is due at another moment.
  public mutating func postponeCall(to next: Moment) -> Bool {
    guard stage == .confirmed || stage == .dispatched else { return false }
    dueAt = next
    return true
  }

  /// A hospital has it, or the emergency number was heard.
  public mutating func acknowledge(at now: Moment) -> Bool {
    guard stage == .dispatched else { return false }
    (stage, dueAt, quietUntil) = (.acknowledged, nil, now + Self.quietMilliseconds)
    return true
  }

  /// A critical reading after the call belongs to it, and keeps its rule quiet for longer.
  mutating func prolong(at now: Moment) {
    if stage == .dispatched || stage == .acknowledged {
      quietUntil = now + Self.quietMilliseconds
    }
  }

  /// It is over, at one of the stages after which nothing follows.
  public mutating func close(_ stage: EmergencyStage, at now: Moment) -> Bool {
    guard stage.isOver, !self.stage.isOver else { return false }
    let isReady = stage == .withdrawn || stage == .drillOver
    end(stage, quietUntil: isReady ? nil : now + Self.quietMilliseconds)
    return true
  }

  private mutating func end(_ stage: EmergencyStage, quietUntil: Moment?) {
    (self.stage, dueAt, self.quietUntil) = (stage, nil, quietUntil)
  }
}
