/// An emergency of the detector: under way, or over and keeping its rule quiet for a while.
struct RunningEmergency: Hashable, Sendable {
  /// What was decided when it began.
  let emergency: Emergency
  var life: EmergencyLife

  /// Begins with the first critical reading, measured at `time`; the person can abort for
  /// `window` milliseconds.
  init(_ rule: Rule, measuredAt time: Moment, now: Moment, window: Int64) {
    emergency = Emergency(
      rule: rule, firstCritical: time, suspectedAt: now, abortUntil: now + window)
    life = EmergencyLife(suspectedAt: now)
  }

  /// Goes on as it was stored; nil for one that leaves its rule ready.
  init?(resuming emergency: Emergency, _ life: EmergencyLife) {
    guard life.stage.isBeforeCall || life.quietUntil != nil else { return nil }
    (self.emergency, self.life) = (emergency, life)
  }

  /// When the detector has something to do: the stage before the call ends, or the quiet after it.
  var deadline: Moment {
    (life.stage.isBeforeCall ? life.dueAt : life.quietUntil) ?? emergency.suspectedAt
  }

  /// Until when an emergency that somebody was called for keeps its rule quiet; nil at any other
  /// stage.
  var quietUntil: Moment? {
    life.stage.isBeforeCall || life.stage.isOver ? nil : life.quietUntil
  }

  /// A further critical reading; whether it confirms. What a device has concluded no reading can.
  mutating func takeCritical(measuredAt time: Moment, now: Moment, timing: Timing) -> Bool {
    life.prolong(at: now)
    let apart =
      emergency.rule == .lossOfPulse
      ? DetectorTimes.pulseConfirmMilliseconds : timing.confirmMilliseconds
    guard !emergency.rule.isConcluded, time - emergency.firstCritical >= apart else {
      return false
    }
    return life.confirm(at: now, abortUntil: emergency.abortUntil)
  }

  /// The person is asked at once, with a whole window to answer; nil if it is not suspected.
  mutating func ask(at now: Moment, window: Int64) -> Decision? {
    let answerBy = now + window
    return life.ask(answerBy: answerBy) ? .asked(emergency, answerBy: answerBy) : nil
  }

  /// Somebody who was called closed it, or it was a false alarm; nothing before the call.
  mutating func close(at now: Moment) {
    if !life.stage.isBeforeCall { _ = life.close(.closed, at: now) }
  }

  /// Goes on to the next stage if this one ends by now.
  ///
  /// A window runs from when it was opened in fact: a person who is asked late has as long to
  /// answer as one who is asked in time.
  mutating func advance(_ now: Moment, timing: Timing) -> Decision? {
    life.limit(at: now, window: emergency.windowMilliseconds)
    let answerBy = now + timing.abortMilliseconds
    switch life.advance(at: now, answerBy: answerBy, abortUntil: emergency.abortUntil) {
    case .asked: return .asked(emergency, answerBy: answerBy)
    case .confirmed: return .confirmed(emergency)
    default: break
    }
    guard life.stage == .confirmed, life.isCallDue(at: now), life.call(at: now, nextAt: nil) else {
      return nil
    }
    return .dispatched(emergency)
  }

  /// Whether its rule may raise another one.
  func isForgotten(at now: Moment) -> Bool { !life.stage.isBeforeCall && deadline <= now }
}
