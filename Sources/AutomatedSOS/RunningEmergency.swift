/// An emergency of the detector: in progress, or over and keeping its rule quiet.
struct RunningEmergency: Hashable, Sendable {
  /// The emergency as decided when it began.
  let emergency: Emergency
  var life: EmergencyLife

  /// Begins with the first critical reading, measured at `time`; the person can abort for `window`
  /// milliseconds.
  init(_ rule: Rule, measuredAt time: Moment, now: Moment, window: Int64) {
    emergency = Emergency(
      rule: rule, firstCritical: time, suspectedAt: now, abortUntil: now + window)
    life = EmergencyLife(suspectedAt: now)
  }

  /// Restores an emergency from storage; nil for one whose rule is ready again.
  init?(resuming emergency: Emergency, _ life: EmergencyLife) {
    guard life.stage.isBeforeCall || life.quietUntil != nil else { return nil }
    (self.emergency, self.life) = (emergency, life)
  }

  /// When the detector has work to do: at the end of the stage before the call, or of the quiet
  /// time.
  var deadline: Moment {
    (life.stage.isBeforeCall ? life.dueAt : life.quietUntil) ?? emergency.suspectedAt
  }

  /// The time until which a dispatched emergency keeps its rule quiet; nil at any other stage.
  var quietUntil: Moment? {
    life.stage.isBeforeCall || life.stage.isOver ? nil : life.quietUntil
  }

  /// Takes a further critical reading; returns whether it confirms. An event detected by the device
  /// cannot be confirmed by a reading.
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

  /// Asks the person at once, with a full window to answer; nil if it is not suspected.
  mutating func ask(at now: Moment, window: Int64) -> Decision? {
    let answerBy = now + window
    return life.ask(answerBy: answerBy) ? .asked(emergency, answerBy: answerBy) : nil
  }

  /// The called hospital closed it, or it was a false alarm; does nothing before the call.
  mutating func close(at now: Moment) {
    if !life.stage.isBeforeCall { _ = life.close(.closed, at: now) }
  }

  /// Advances to the next stage if the current one ends by now.
  ///
  /// A window starts when the question is sent, so that a delayed question leaves the person the
  /// full time to answer.
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

  /// Whether its rule may raise another emergency.
  func isForgotten(at now: Moment) -> Bool { !life.stage.isBeforeCall && deadline <= now }
}
