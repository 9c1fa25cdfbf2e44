/// The life cycle of an emergency: its stage, when the stage ends by itself, and which transitions
/// are allowed.
///
/// The detector runs one for each emergency that it decides. The service stores it, advances it by
/// the clock, and can run it without the database; the simulated phone follows it. It reads no
/// clock. A transition that the stage does not allow changes nothing and returns false.
public struct EmergencyLife: Hashable, Sendable {
  /// The time after which the person is asked about an unconfirmed emergency, in milliseconds
  /// (SOS-3: 30 s).
  public static let askMilliseconds: Int64 = 30_000
  /// How long a rule is quiet after its emergency, in milliseconds. No source specifies a time; the
  /// reason for ten minutes is in docs/decisions/0021-emergency-detection.md.
  public static let quietMilliseconds: Int64 = 600_000

  /// The current stage.
  public private(set) var stage: EmergencyStage
  /// When the stage ends by itself: the person is asked, the emergency is confirmed, or the next
  /// call is due. Nil for stages that only an external event ends.
  public private(set) var dueAt: Moment?
  /// Until this moment its rule raises no other emergency; nil before the call, and if the rule was
  /// ready at once.
  public private(set) var quietUntil: Moment?

  /// Begins a life cycle: the person is warned at `now`.
  public init(suspectedAt now: Moment) {
    (stage, dueAt) = (.suspected, now + Self.askMilliseconds)
  }

  /// Restores a life cycle from storage.
  public init(_ stage: EmergencyStage, dueAt: Moment?, quietUntil: Moment?) {
    (self.stage, self.dueAt, self.quietUntil) = (stage, dueAt, quietUntil)
  }
}

// MARK: Before the call

extension EmergencyLife {
  /// The person is asked; a missing answer confirms the emergency at `end`.
  public mutating func ask(answerBy end: Moment) -> Bool {
    guard stage == .suspected else { return false }
    (stage, dueAt) = (.asked, end)
    return true
  }

  /// Readings, or a missing answer, confirm it. A call is due at the end of the window,
  /// `abortUntil`, or now.
  public mutating func confirm(at now: Moment, abortUntil: Moment) -> Bool {
    guard stage == .suspected || stage == .asked else { return false }
    (stage, dueAt) = (.confirmed, max(abortUntil, now))
    return true
  }

  /// Readings are in bounds again. A confirmed emergency is withdrawn only under the rule for loss
  /// of pulse: a pulse or a step proves that the person is alive.
  public mutating func withdraw(_ rule: Rule) -> Bool {
    guard stage < .confirmed || (stage == .confirmed && rule == .lossOfPulse) else {
      return false
    }
    end(.withdrawn, quietUntil: nil)
    return true
  }

  /// The person aborts the emergency; false if it is too late.
  public mutating func abort(at now: Moment) -> Bool {
    guard stage.isBeforeCall else { return false }
    if stage != .suspected, let dueAt, dueAt <= now { return false }
    end(.aborted, quietUntil: now + Self.quietMilliseconds)
    return true
  }

  /// Advances to the next stage before the call if the current one ends by now: if unconfirmed, the
  /// person is asked until `answerBy`; if unanswered, it is confirmed. Returns the new stage, or
  /// nil.
  public mutating func advance(
    at now: Moment, answerBy: Moment, abortUntil: Moment
  ) -> EmergencyStage? {
    guard let dueAt, dueAt <= now else { return nil }
    return ask(answerBy: answerBy) || confirm(at: now, abortUntil: abortUntil) ? stage : nil
  }

  /// Limits the end of the stage to its full length from now, which matters after the clock was set
  /// back.
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

  /// A call is made; the next call is due at `next`, if known.
  public mutating func call(at now: Moment, nextAt next: Moment?) -> Bool {
    guard stage == .confirmed || stage == .dispatched else { return false }
    (stage, dueAt, quietUntil) = (.dispatched, next, now + Self.quietMilliseconds)
    return true
  }

  /// Moves the next call to another time.
  public mutating func postponeCall(to next: Moment) -> Bool {
    guard stage == .confirmed || stage == .dispatched else { return false }
    dueAt = next
    return true
  }

  /// A hospital has accepted it, or the message was heard at the emergency number.
  public mutating func acknowledge(at now: Moment) -> Bool {
    guard stage == .dispatched else { return false }
    (stage, dueAt, quietUntil) = (.acknowledged, nil, now + Self.quietMilliseconds)
    return true
  }

  /// A critical reading after the call belongs to this emergency, and keeps its rule quiet for
  /// longer.
  mutating func prolong(at now: Moment) {
    if stage == .dispatched || stage == .acknowledged {
      quietUntil = now + Self.quietMilliseconds
    }
  }

  /// Ends the emergency at one of the final stages.
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
