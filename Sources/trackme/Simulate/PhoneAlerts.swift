import AutomatedSOS
import Domain

/// What a simulated phone knows of emergencies under way: its own, which its detector decided, and
/// those that the server tells of.
struct PhoneAlerts {
  /// An emergency that the phone's detector decided.
  struct Own {
    let emergency: Emergency
    /// Until then the person can abort.
    var until: Timestamp
    /// As the server names it; nil before it has answered.
    var episodeID: String?
    /// Whether the server has answered.
    var isAnswered = false
    /// Whether the server has said that it counts down to a call.
    var isCounted = false
  }

  /// An abort that the server is told of.
  struct Abort {
    var nextTryAt: Timestamp
    var isUnderWay = false
    let until: Timestamp
  }

  /// Readings that go with an alert at most, the newest.
  private static let readingsMax = 20
  /// How long an abort counts that has not reached the server: older readings raise nothing.
  private static let owedMilliseconds: Int64 = 60_000

  private(set) var own: [Rule: Own] = [:]
  /// Rules whose alert is on its way.
  private var raising: Set<Rule> = []
  /// Of the server alone, by their names, with the moment until which they can be aborted.
  private(set) var others: [String: Timestamp] = [:]
  /// What the person aborted before the server had named it.
  private var owed: [String: Timestamp] = [:]
  private(set) var aborts: [String: Abort] = [:]
  /// The emergencies of the detector, by the names that the server gave them.
  private var emergencies: [String: Emergency] = [:]
  private var readings: [VitalSign] = []
  private var raiseDueAt: Timestamp?
  var abortDueAt: Timestamp?
  /// When the next second of the countdown is told.
  private var countsAt: Timestamp?

  /// Whether somebody is warned.
  var isAlerted: Bool { !own.isEmpty || !others.isEmpty }

  /// Whether nothing is under way.
  var isQuiet: Bool { !isAlerted && aborts.isEmpty && raising.isEmpty }

  /// The end of the newest window for aborting.
  private var until: Timestamp? { (own.values.map(\.until) + others.values).max() }

  var nextDeadline: Timestamp? {
    let tries = aborts.values.filter { !$0.isUnderWay }.map(\.nextTryAt)
    return ([abortDueAt, countsAt, raiseDueAt].compactMap(\.self) + tries).min()
  }

  /// Keeps critical readings for the alerts that they belong to.
  mutating func note(_ signs: [VitalSign]) {
    readings = (readings + signs).suffix(Self.readingsMax)
  }

  /// Everything is over: monitoring has ended.
  mutating func forget() -> [SimulatedPhone.Action] {
    let isNews = isAlerted
    self = PhoneAlerts()
    return isNews ? [.say("what was under way is over")] : []
  }
}

// MARK: Own emergencies

extension PhoneAlerts {
  /// An emergency begins; its window runs from now.
  mutating func begin(_ emergency: Emergency, at now: Timestamp) {
    own[emergency.rule] = Own(emergency: emergency, until: emergency.abortUntil.timestamp)
    (raiseDueAt, countsAt) = (now, now.adding(milliseconds: 1000))
  }

  /// The window of an emergency ends at another moment.
  mutating func extend(_ rule: Rule, until: Timestamp, at now: Timestamp) {
    own[rule]?.until = until
    if until > now { countsAt = countsAt ?? now.adding(milliseconds: 1000) }
  }

  /// Ends an emergency of the phone itself; returns it as it was.
  @discardableResult
  mutating func end(_ rule: Rule) -> Own? {
    let ended = own.removeValue(forKey: rule)
    if !isAlerted { settle() }
    return ended
  }

  private mutating func settle() { (abortDueAt, countsAt, raiseDueAt) = (nil, nil, nil) }

  /// Alerts that the server has not answered yet, and are due to be raised, or again, with the
  /// readings that they rest on.
  mutating func takeUnraised(at now: Timestamp) -> [(Rule, [VitalSign])] {
    guard let due = raiseDueAt, due <= now else { return [] }
    raiseDueAt = nil
    let unanswered = own.filter { !$0.value.isAnswered && !raising.contains($0.key) }
      .sorted { $0.key.rawValue < $1.key.rawValue }
    let alerts = unanswered.map { rule, alert in
      (rule, readings.filter { alert.emergency.firstCritical.timestamp <= $0.time })
    }.filter { !$0.1.isEmpty }
    raising.formUnion(alerts.map(\.0))
    return alerts
  }

  /// The server answered an alert, with the name of the emergency or without.
  mutating func answered(_ rule: Rule, _ episodeID: String?, isCounted: Bool) {
    raising.remove(rule)
    own[rule]?.isAnswered = true
    if isCounted { own[rule]?.isCounted = true }
    if let episodeID { name(rule, episodeID) }
  }

  /// Whether the server has said that it counts an own emergency down to a call.
  func isCounted(_ rule: Rule) -> Bool { own[rule]?.isCounted ?? false }

  /// The server was not reached: the alert is raised again.
  mutating func notReached(_ rule: Rule, at now: Timestamp) {
    raising.remove(rule)
    if own[rule] != nil { raiseDueAt = now.adding(milliseconds: SimulatedPhone.alertedEvery) }
  }

  private mutating func name(_ rule: Rule, _ episodeID: String) {
    guard let alert = own[rule] else { return }
    own[rule]?.episodeID = episodeID
    emergencies[episodeID] = alert.emergency
    others[episodeID] = nil
  }
}

// MARK: Those of the server

extension PhoneAlerts {
  /// Whether the person has aborted an emergency of this rule that the server names only now; it
  /// is aborted there then.
  mutating func takeOwed(_ rule: String, at now: Timestamp) -> Bool {
    guard let until = owed.removeValue(forKey: rule) else { return false }
    return now <= until
  }

  /// The server tells of an emergency that can be aborted; whether the person did not know of it.
  mutating func took(_ id: String, _ rule: String, until: Timestamp, at now: Timestamp) -> Bool {
    if let known = own.keys.first(where: { $0.apiName == rule }) {
      own[known]?.isCounted = true
      name(known, id)
      return false
    }
    let isNew = others.updateValue(until, forKey: id) == nil
    if until > now { countsAt = countsAt ?? now.adding(milliseconds: 1000) }
    return isNew
  }

  /// Notes that an emergency can no longer be aborted; returns the detector's emergency for it.
  mutating func left(_ id: String) -> Emergency? {
    others[id] = nil
    aborts[id] = nil
    if !isAlerted { settle() }
    return emergencies[id]
  }

  /// Those of the server that it has told no end of, long after it: its stream was cut.
  mutating func dropForgotten(at now: Timestamp) {
    others = others.filter { now < $0.value.adding(milliseconds: Self.owedMilliseconds) }
  }
}

// MARK: Aborting

extension PhoneAlerts {
  /// What the person may abort now.
  var abortable: [Emergency] {
    own.values.map(\.emergency).sorted { $0.rule.rawValue < $1.rule.rawValue }
  }

  /// The person has aborted an own emergency: the server hears of it, now or once it knows it.
  mutating func abort(_ rule: Rule, at now: Timestamp) {
    if let id = own[rule]?.episodeID {
      abort(id, at: now)
    } else {
      owed[rule.apiName] = now.adding(milliseconds: Self.owedMilliseconds)
    }
    end(rule)
  }

  /// The server is told of an abort.
  mutating func abort(_ id: String, at now: Timestamp) {
    let until = now.adding(milliseconds: Self.owedMilliseconds)
    aborts[id] = aborts[id] ?? Abort(nextTryAt: now, until: until)
  }

  /// Aborts that are due to be told to the server.
  mutating func takeAborts(at now: Timestamp) -> [String] {
    aborts = aborts.filter { $0.value.isUnderWay || now <= $0.value.until }
    let due = aborts.filter { !$0.value.isUnderWay && $0.value.nextTryAt <= now }.map(\.key)
    for id in due { aborts[id]?.isUnderWay = true }
    return due.sorted()
  }

  /// The server has answered an abort; nothing, if it was not reached: it is told again.
  mutating func abortAnswered(_ id: String, isReached: Bool, at now: Timestamp) {
    guard isReached else {
      aborts[id]?.isUnderWay = false
      aborts[id]?.nextTryAt = now.adding(milliseconds: SimulatedPhone.alertedEvery)
      return
    }
    aborts[id] = nil
    others[id] = nil
  }

  /// Seconds that are left for aborting, once a second; nil where there is nothing to announce.
  mutating func takeCount(at now: Timestamp) -> Int64? {
    guard let due = countsAt, due <= now else { return nil }
    guard let until, until > now else {
      countsAt = nil
      return nil
    }
    let left = (until.millisecondsSince1970 - now.millisecondsSince1970 + 999) / 1000
    // The count aligns with the end, so that a late turn skips no later second.
    countsAt = until.adding(milliseconds: 1000 - left * 1000)
    return left
  }
}
