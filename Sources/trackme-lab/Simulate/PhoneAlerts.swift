import AutomatedSOS
import Domain
import Time

/// The active emergencies of a simulated phone: local ones, decided by its detector, and remote
/// ones, reported by the server.
struct PhoneAlerts {
  /// An emergency that the phone's detector decided.
  struct Local {
    let emergency: Emergency
    /// The end of the abort window.
    var until: Instant
    /// The server's identifier; nil before the server has answered.
    var emergencyID: String?
    /// Whether the server has answered.
    var isAnswered = false
    /// Whether the server confirmed that it counts down to a call.
    var isCounted = false
  }

  /// An abort to report to the server.
  struct Abort {
    var nextTryAt: Instant
    var isUnderWay = false
    let until: Instant
  }

  /// The most readings sent with an alert; the newest are kept.
  private static let readingsMax = 20
  /// How long an abort that has not reached the server suppresses alerts from older readings.
  private static let owedMilliseconds: Int64 = 60_000

  private(set) var local: [Rule: Local] = [:]
  /// Rules whose alert is being sent.
  private var raising: Set<Rule> = []
  /// Emergencies known only from the server: the end of the abort window by identifier.
  private(set) var remote: [String: Instant] = [:]
  /// Aborts by the person before the server had named the emergency, by rule.
  private var owed: [String: Instant] = [:]
  private(set) var aborts: [String: Abort] = [:]
  /// The detector's emergencies by the server's identifiers.
  private var emergencies: [String: Emergency] = [:]
  private var readings: [VitalSign] = []
  private var raiseDueAt: Instant?
  var abortDueAt: Instant?
  /// When to announce the next second of the countdown.
  private var countsAt: Instant?

  /// Whether a warning is active.
  var isAlerted: Bool { !local.isEmpty || !remote.isEmpty }

  /// Whether no emergency, abort or alert is active.
  var isQuiet: Bool { !isAlerted && aborts.isEmpty && raising.isEmpty }

  /// The latest end of an abort window.
  private var until: Instant? { (local.values.map(\.until) + remote.values).max() }

  var nextDeadline: Instant? {
    let tries = aborts.values.filter { !$0.isUnderWay }.map(\.nextTryAt)
    return ([abortDueAt, countsAt, raiseDueAt].compactMap(\.self) + tries).min()
  }

  /// Stores critical readings for the alerts that they belong to.
  mutating func note(_ signs: [VitalSign]) {
    readings = (readings + signs).suffix(Self.readingsMax)
  }

  /// Ends all emergencies, because monitoring has ended.
  mutating func forget() -> [SimulatedPhone.Action] {
    let isNews = isAlerted
    self = PhoneAlerts()
    return isNews ? [.say("all emergencies are over")] : []
  }
}

// MARK: Local emergencies

extension PhoneAlerts {
  /// Begins an emergency, whose abort window starts now.
  mutating func begin(_ emergency: Emergency, at now: Instant) {
    local[emergency.rule] = Local(emergency: emergency, until: emergency.abortUntil.instant)
    (raiseDueAt, countsAt) = (now, now.adding(milliseconds: 1000))
  }

  /// Changes the end of an emergency's abort window.
  mutating func extend(_ rule: Rule, until: Instant, at now: Instant) {
    local[rule]?.until = until
    if until > now { countsAt = countsAt ?? now.adding(milliseconds: 1000) }
  }

  /// Ends a local emergency; returns its last state.
  @discardableResult
  mutating func end(_ rule: Rule) -> Local? {
    let ended = local.removeValue(forKey: rule)
    if !isAlerted { settle() }
    return ended
  }

  private mutating func settle() { (abortDueAt, countsAt, raiseDueAt) = (nil, nil, nil) }

  /// The alerts to send or resend now, with the readings that caused them.
  mutating func takeUnraised(at now: Instant) -> [(Rule, [VitalSign])] {
    guard let due = raiseDueAt, due <= now else { return [] }
    raiseDueAt = nil
    let unanswered = local.filter { !$0.value.isAnswered && !raising.contains($0.key) }
      .sorted { $0.key.rawValue < $1.key.rawValue }
    let alerts = unanswered.map { rule, alert in
      (rule, readings.filter { alert.emergency.firstCritical.instant <= $0.time })
    }.filter { !$0.1.isEmpty }
    raising.formUnion(alerts.map(\.0))
    return alerts
  }

  /// Handles the server's answer to an alert, with the identifier of the emergency, if any.
  mutating func answered(_ rule: Rule, _ emergencyID: String?, isCounted: Bool) {
    raising.remove(rule)
    local[rule]?.isAnswered = true
    if isCounted { local[rule]?.isCounted = true }
    if let emergencyID { name(rule, emergencyID) }
  }

  /// Whether the server confirmed that it counts down to a call for a local emergency.
  func isCounted(_ rule: Rule) -> Bool { local[rule]?.isCounted ?? false }

  /// Schedules a retry of an alert that did not reach the server.
  mutating func notReached(_ rule: Rule, at now: Instant) {
    raising.remove(rule)
    if local[rule] != nil { raiseDueAt = now.adding(milliseconds: SimulatedPhone.alertedEvery) }
  }

  private mutating func name(_ rule: Rule, _ emergencyID: String) {
    guard let alert = local[rule] else { return }
    local[rule]?.emergencyID = emergencyID
    emergencies[emergencyID] = alert.emergency
    remote[emergencyID] = nil
  }
}

// MARK: Remote emergencies

extension PhoneAlerts {
  /// Whether the person has already aborted an emergency of this rule that the server names only
  /// now. If so, the abort is now sent to the server.
  mutating func takeOwed(_ rule: String, at now: Instant) -> Bool {
    guard let until = owed.removeValue(forKey: rule) else { return false }
    return now <= until
  }

  /// Handles a server's emergency that can be aborted; returns whether it is new to the person.
  mutating func took(_ id: String, _ rule: String, until: Instant, at now: Instant) -> Bool {
    if let known = local.keys.first(where: { $0.apiName == rule }) {
      local[known]?.isCounted = true
      name(known, id)
      return false
    }
    let isNew = remote.updateValue(until, forKey: id) == nil
    if until > now { countsAt = countsAt ?? now.adding(milliseconds: 1000) }
    return isNew
  }

  /// Records that an emergency can no longer be aborted; returns the detector's emergency, if any.
  mutating func left(_ id: String) -> Emergency? {
    remote[id] = nil
    aborts[id] = nil
    if !isAlerted { settle() }
    return emergencies[id]
  }

  /// Removes remote emergencies long after their window if the server reported no end: the stream
  /// was interrupted.
  mutating func dropForgotten(at now: Instant) {
    remote = remote.filter { now < $0.value.adding(milliseconds: Self.owedMilliseconds) }
  }
}

// MARK: Aborting

extension PhoneAlerts {
  /// The emergencies that the person can abort now.
  var abortable: [Emergency] {
    local.values.map(\.emergency).sorted { $0.rule.rawValue < $1.rule.rawValue }
  }

  /// Aborts a local emergency. The server is notified at once, or as soon as it has named it.
  mutating func abort(_ rule: Rule, at now: Instant) {
    if let id = local[rule]?.emergencyID {
      abort(id, at: now)
    } else {
      owed[rule.apiName] = now.adding(milliseconds: Self.owedMilliseconds)
    }
    end(rule)
  }

  /// Queues an abort for the server.
  mutating func abort(_ id: String, at now: Instant) {
    let until = now.adding(milliseconds: Self.owedMilliseconds)
    aborts[id] = aborts[id] ?? Abort(nextTryAt: now, until: until)
  }

  /// The aborts to send to the server now.
  mutating func takeAborts(at now: Instant) -> [String] {
    aborts = aborts.filter { $0.value.isUnderWay || now <= $0.value.until }
    let due = aborts.filter { !$0.value.isUnderWay && $0.value.nextTryAt <= now }.map(\.key)
    for id in due { aborts[id]?.isUnderWay = true }
    return due.sorted()
  }

  /// Handles the result of sending an abort; an abort that did not reach the server is sent again.
  mutating func abortAnswered(_ id: String, isReached: Bool, at now: Instant) {
    guard isReached else {
      aborts[id]?.isUnderWay = false
      aborts[id]?.nextTryAt = now.adding(milliseconds: SimulatedPhone.alertedEvery)
      return
    }
    aborts[id] = nil
    remote[id] = nil
  }

  /// The remaining seconds of the abort window, once per second; nil if there is nothing to
  /// announce.
  mutating func takeCount(at now: Instant) -> Int64? {
    guard let due = countsAt, due <= now else { return nil }
    guard let until, until > now else {
      countsAt = nil
      return nil
    }
    let left = (until.millisecondsSince1970 - now.millisecondsSince1970 + 999) / 1000
    // The countdown is aligned with the end, so that a late turn skips no later second.
    countsAt = until.adding(milliseconds: 1000 - left * 1000)
    return left
  }
}
