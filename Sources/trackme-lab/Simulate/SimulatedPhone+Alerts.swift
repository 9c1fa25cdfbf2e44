import AutomatedSOS
import Domain
import Time

// The phone's handling of emergencies: it warns, counts down, accepts an abort, and notifies the
// server.
extension SimulatedPhone {
  /// The server's answer to an alert.
  package enum AlertAnswer: Sendable, Equatable {
    /// The server has an emergency for these readings, which may be over.
    case raised(PhoneAlarm)
    /// The server sees no emergency and states the reason.
    case refused(String)
    /// The server was not reached.
    case notReached
  }

  /// The server's answer to an abort.
  package enum AbortAnswer: Sendable, Equatable {
    case aborted, tooLate, notReached
  }

  /// Handles the detector's decisions.
  mutating func decide(_ decisions: [Decision], _ now: Instant, _ actions: inout [Action]) {
    for decision in decisions {
      switch decision {
      case .suspected(let emergency):
        alerts.begin(emergency, at: now)
        if let after = plan.abortAfter { alerts.abortDueAt = now.adding(milliseconds: after) }
        actions.append(.say("WARNING, \(emergency.rule.apiName): \(Self.howToAbort)"))
      case .asked(let emergency, let answerBy):
        alerts.extend(emergency.rule, until: answerBy.instant, at: now)
        actions.append(.say("ARE YOU WELL? Without an answer help is called: \(Self.howToAbort)"))
      case .confirmed(let emergency):
        alerts.extend(
          emergency.rule, until: max(emergency.abortUntil.instant, now), at: now)
        actions.append(.say(alerts.isCounted(emergency.rule) ? Self.calledSoon : Self.notCounted))
      case .withdrawn(let emergency):
        alerts.end(emergency.rule)
        actions.append(.say("withdrawn: the readings are in bounds again"))
      case .dispatched(let emergency):
        actions.append(.say(Self.windowEnded(alerts.end(emergency.rule))))
      case .silent: actions.append(.say("no measurement for ten minutes"))
      case .aborted: break
      }
    }
  }

  private static let howToAbort = "press Enter to abort"
  private static let calledSoon = "confirmed: help is called at the end of the window"
  private static let notCounted =
    "confirmed here, but not by TrackMe: if you need help call 112"

  /// The message at the end of a local emergency's abort window, depending on the server's state.
  private static func windowEnded(_ alert: PhoneAlerts.Local?) -> String {
    if alert?.isCounted == true { return "help is called" }
    return alert?.isAnswered == true
      ? "help is needed and TrackMe has not confirmed a call: call 112"
      : "help is needed and TrackMe is unreachable: call 112"
  }

  /// Raises alerts, counts down and sends aborts that are due.
  mutating func alert(_ now: Instant, _ actions: inout [Action]) {
    alerts.dropForgotten(at: now)
    if let due = alerts.abortDueAt, due <= now { actions += abort(at: now) }
    actions += alerts.takeUnraised(at: now).map { .raise($0.0, $0.1) }
    if let seconds = alerts.takeCount(at: now) { actions.append(.say("\(seconds) s to abort")) }
    actions += alerts.takeAborts(at: now).map { .abort($0) }
  }

  /// Aborts all active emergencies for the person.
  package mutating func abort(at now: Instant) -> [Action] {
    alerts.abortDueAt = nil
    guard alerts.isAlerted else { return [.say("there is nothing to abort")] }
    var actions: [Action] = []
    for emergency in alerts.abortable {
      let decisions = detector.abort(emergency, at: now.moment)
      let isAborted = decisions.contains { if case .aborted = $0 { true } else { false } }
      if isAborted {
        alerts.abort(emergency.rule, at: now)
        actions.append(.say("aborted: no call is made"))
      }
      decide(decisions, now, &actions)
    }
    for id in alerts.remote.keys.sorted() { alerts.abort(id, at: now) }
    return actions + alerts.takeAborts(at: now).map { .abort($0) }
  }

  /// Handles the server's answer to an alert, or its failure.
  package mutating func alertWasAnswered(
    _ rule: Rule, _ answer: AlertAnswer, at now: Instant
  ) -> [Action] {
    switch answer {
    case .raised(let alarm):
      let local = alerts.local[rule]?.emergency
      let isOwed = alerts.takeOwed(rule.apiName, at: now)
      alerts.answered(rule, alarm.emergencyID, isCounted: alarm.isBeforeCall)
      if let life = alarm.life(at: now) {
        // The server does not count down: there is no window and nothing to abort.
        if let local { settle(local, life) }
      } else if isOwed, let id = alarm.emergencyID {
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

  /// Handles the server's answer to an abort, or its failure.
  package mutating func abortWasAnswered(
    _ id: String, _ answer: AbortAnswer, at now: Instant
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
    "too late to abort: help was called and a false alarm can be reported, or it is over"

  /// Handles an emergency reported by the server.
  package mutating func heard(_ alarm: PhoneAlarm, at now: Instant) -> [Action] {
    guard let id = alarm.emergencyID else {
      return alarm.stage == "silent" ? [.say("TrackMe receives no data from this phone")] : []
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
    _ alarm: PhoneAlarm, _ id: String, at now: Instant
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

  /// Sets a local emergency to the server's state and ends its alert. A newer emergency of the same
  /// rule is unaffected.
  private mutating func settle(_ emergency: Emergency, _ life: EmergencyLife) {
    guard detector.emergency(of: emergency.rule)?.isSame(as: emergency) == true else { return }
    detector.resume(emergency, life)
    alerts.end(emergency.rule)
  }
}
