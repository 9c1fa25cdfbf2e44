import AutomatedSOS
import Domain

// What a simulated phone does about emergencies: it warns, counts down, takes the abort, and tells
// the server.
extension SimulatedPhone {
  /// What the server answered to an alert.
  package enum AlertAnswer: Sendable, Equatable {
    /// It has an emergency that the readings belong to, which may be over.
    case raised(PhoneAlarm)
    /// It sees none, and says why.
    case refused(String)
    /// It was not reached.
    case notReached
  }

  /// What the server answered to an abort.
  package enum AbortAnswer: Sendable, Equatable {
    case aborted, tooLate, notReached
  }

  /// Carries out what the detector decided.
  mutating func decide(_ decisions: [Decision], _ now: Timestamp, _ actions: inout [Action]) {
    for decision in decisions {
      switch decision {
      case .suspected(let emergency):
        alerts.begin(emergency, at: now)
        if let after = plan.abortAfter { alerts.abortDueAt = now.adding(milliseconds: after) }
        actions.append(.say("WARNING, \(emergency.rule.apiName): \(Self.howToAbort)"))
      case .asked(let emergency, let answerBy):
        alerts.extend(emergency.rule, until: answerBy.timestamp, at: now)
        actions.append(.say("ARE YOU WELL? Without an answer help is called: \(Self.howToAbort)"))
      case .confirmed(let emergency):
        alerts.extend(
          emergency.rule, until: max(emergency.abortUntil.timestamp, now), at: now)
        actions.append(.say(alerts.isCounted(emergency.rule) ? Self.calledSoon : Self.notCounted))
      case .withdrawn(let emergency):
        alerts.end(emergency.rule)
        actions.append(.say("withdrawn: the readings are in bounds again"))
      case .dispatched(let emergency):
        actions.append(.say(Self.windowEnded(alerts.end(emergency.rule))))
      case .silent: actions.append(.say("nothing was measured for ten minutes"))
      case .aborted: break
      }
    }
  }

  private static let howToAbort = "press Enter to abort"
  private static let calledSoon = "confirmed: help is called at the end of the window"
  private static let notCounted =
    "confirmed here, and TrackMe has not said that it calls: if you need help call 112"

  /// What is said at the end of the window of an own emergency, as far as the server knows of it.
  private static func windowEnded(_ own: PhoneAlerts.Own?) -> String {
    if own?.isCounted == true { return "help is called" }
    return own?.isAnswered == true
      ? "help is needed and TrackMe has not said that it calls: call 112"
      : "help is needed and TrackMe is not reached: call 112"
  }

  /// Raises, counts down and aborts what is due.
  mutating func alert(_ now: Timestamp, _ actions: inout [Action]) {
    alerts.dropForgotten(at: now)
    if let due = alerts.abortDueAt, due <= now { actions += abort(at: now) }
    actions += alerts.takeUnraised(at: now).map { .raise($0.0, $0.1) }
    if let seconds = alerts.takeCount(at: now) { actions.append(.say("\(seconds) s to abort")) }
    actions += alerts.takeAborts(at: now).map { .abort($0) }
  }

  /// The person aborts whatever is under way.
  package mutating func abort(at now: Timestamp) -> [Action] {
    alerts.abortDueAt = nil
    guard alerts.isAlerted else { return [.say("there is nothing to abort")] }
    var actions: [Action] = []
    for emergency in alerts.abortable {
      let decisions = detector.abort(emergency, at: now.moment)
      let isAborted = decisions.contains { if case .aborted = $0 { true } else { false } }
      if isAborted {
        alerts.abort(emergency.rule, at: now)
        actions.append(.say("aborted: nobody is called"))
      }
      decide(decisions, now, &actions)
    }
    for id in alerts.others.keys.sorted() { alerts.abort(id, at: now) }
    return actions + alerts.takeAborts(at: now).map { .abort($0) }
  }

  /// The server has answered an alert, or not.
  package mutating func alertWasAnswered(
    _ rule: Rule, _ answer: AlertAnswer, at now: Timestamp
  ) -> [Action] {
    switch answer {
    case .raised(let alarm):
      let own = alerts.own[rule]?.emergency
      let isOwed = alerts.takeOwed(rule.apiName, at: now)
      alerts.answered(rule, alarm.episodeID, isCounted: alarm.isBeforeCall)
      if let life = alarm.life(at: now) {
        // It does not count down: there is no window, and nothing to abort.
        if let own { settle(own, life) }
      } else if isOwed, let id = alarm.episodeID {
        alerts.abort(id, at: now)
      }
      return [.say(alarm.sentence)] + advance(to: now)
    case .refused(let detail):
      alerts.answered(rule, nil, isCounted: false)
      return [.say("TrackMe sees no emergency: \(detail)")]
    case .notReached:
      alerts.notReached(rule, at: now)
      return []
    }
  }

  /// The server has answered an abort, or not.
  package mutating func abortWasAnswered(
    _ id: String, _ answer: AbortAnswer, at now: Timestamp
  ) -> [Action] {
    alerts.abortAnswered(id, isReached: answer != .notReached, at: now)
    switch answer {
    case .aborted: return [.say("TrackMe has aborted it")] + advance(to: now)
    case .tooLate:
      return [.say(Self.tooLate)] + advance(to: now)
    case .notReached: return []
    }
  }

  private static let tooLate =
    "too late to abort: somebody is called, and a false alarm can be reported, or it is over"

  /// The server tells of an emergency.
  package mutating func heard(_ alarm: PhoneAlarm, at now: Timestamp) -> [Action] {
    guard let id = alarm.episodeID else {
      return alarm.stage == "silent" ? [.say("TrackMe hears nothing of this phone")] : []
    }
    if alarm.isBeforeCall { return warned(alarm, id, at: now) }
    let emergency = alerts.left(id)
    if let emergency, let life = alarm.life(at: now), life.stage.isOver {
      settle(emergency, life)
    }
    var actions: [Action] = [.say("TrackMe: \(alarm.stage), \(alarm.rule)")]
    if alarm.quietUntil != nil || alarm.reached == nil {
      actions.append(.say(alarm.sentence))
    }
    return actions + advance(to: now)
  }

  private mutating func warned(
    _ alarm: PhoneAlarm, _ id: String, at now: Timestamp
  ) -> [Action] {
    guard !alerts.takeOwed(alarm.rule, at: now) else {
      alerts.abort(id, at: now)
      return advance(to: now)
    }
    let until = alarm.until ?? now.adding(milliseconds: Self.settingsEvery)
    guard alerts.took(id, alarm.rule, until: until, at: now) else { return [] }
    if let after = plan.abortAfter, alerts.abortDueAt == nil {
      alerts.abortDueAt = now.adding(milliseconds: after)
    }
    let kind = alarm.isDrill ? "DRILL" : "WARNING"
    return [.say("\(kind) of TrackMe, \(alarm.rule): \(Self.howToAbort)")] + advance(to: now)
  }

  /// An emergency of the phone is as far as at the server, and ends here; not a newer one of its
  /// rule.
  private mutating func settle(_ emergency: Emergency, _ life: EmergencyLife) {
    guard detector.emergency(of: emergency.rule)?.isSame(as: emergency) == true else { return }
    detector.resume(emergency, life)
    alerts.end(emergency.rule)
  }
}
