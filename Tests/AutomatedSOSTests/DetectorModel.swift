import AutomatedSOS

/// A slow second implementation of the detector: it keeps the complete history and searches it for
/// each decision. Its clock never runs back.
struct DetectorModel {
  /// The heart rates of an age, entered by hand.
  struct Person {
    var months: Int
    var low: Double
    var high: Double
    var exerciseHigh: Double
    var hasPressureRules: Bool
  }

  /// A valid reading of a vital sign.
  private struct Seen {
    var kind: String
    var values: [Double]
    var time: Int64
    var now: Int64
    var isStuck = false
  }

  /// An input of a rule, and its time.
  struct Told {
    var time: Int64
    var now: Int64
    var isCritical: Bool
  }

  /// An emergency with the times of its stages.
  struct History {
    var emergency: Emergency
    var askedAt: Int64?
    var confirmedAt: Int64?
    var dispatchedAt: Int64?
    var withdrawnAt: Int64?
    /// Aborted or closed.
    var endedAt: Int64?
  }

  let person: Person
  let confirm: Int64
  let window: Int64
  let pulseWindow: Int64
  let start: Int64
  private var seen: [Seen] = []
  private var exercise: [Int64] = []
  private var pausedUntil: Int64 = 0
  var pulses: [(source: Int32, time: Int64)] = []
  var falls: [Int64] = []
  /// Readings without a pulse since the first one about which no one was notified.
  var losses: [(reading: Reading, time: Int64, now: Int64)] = []
  private var silenceTold = false
  var told: [Rule: [Told]] = [:]
  var emergencies: [Rule: [History]] = [:]

  init(
    person: Person, confirmSeconds: Int, abortSeconds: Int, pulseAbortSeconds: Int, start: Int64
  ) {
    (self.person, self.start) = (person, start)
    pulseWindow = Int64(pulseAbortSeconds) * 1000
    (confirm, window) = (Int64(confirmSeconds) * 1000, Int64(abortSeconds) * 1000)
  }

  mutating func take(_ reading: Reading, _ now: Int64) -> (Verdict, [Decision]) {
    let before = advance(now)
    var decisions: [Decision] = []
    let verdict = judge(reading, now, &decisions)
    return (verdict, before + decisions + advance(now))
  }

  mutating func advance(_ now: Int64) -> [Decision] {
    var decisions: [Decision] = []
    if let first = losses.first, first.now + 10_000 <= now { beginLoss(false, now, &decisions) }
    for rule in Rule.allCases { advance(rule, now, &decisions) }
    if !silenceTold && now >= silenceDue {
      silenceTold = true
      decisions.append(.silent(since: Moment(milliseconds: lastHeard)))
    }
    return decisions
  }

  mutating func pause(until end: Int64) { pausedUntil = end }

  /// As if the only sample of exercise were two minutes earlier.
  mutating func exercise(until end: Int64) { exercise = [end - 120_000] }
}

// MARK: Readings

extension DetectorModel {
  private mutating func judge(
    _ reading: Reading, _ now: Int64, _ decisions: inout [Decision]
  ) -> Verdict {
    if !isPossible(reading.measurement) { return .ignored(.implausible) }
    let measured = reading.time.milliseconds
    if measured - now > 300_000 { return .ignored(.ahead) }
    let time = measured > now ? now : measured
    switch reading.measurement {
    case .speed(let speed):
      if speed >= 1.34 && speed <= 12.5 { exercise.append(time) }
      if speed > 0 { noteLife(time, now, &decisions) }
      return .context
    case .steps(let steps):
      if steps > 0 { noteLife(time, now, &decisions) }
      return .context
    case .exercise:
      exercise.append(time)
      return .context
    default: break
    }
    var new = Seen(
      kind: kind(reading.measurement), values: values(reading.measurement), time: time, now: now)
    if new.kind != "event" {
      let same = seen.filter { $0.kind == new.kind }
      if same.contains(where: { $0.time > time }) { return .ignored(.late) }
      if let last = same.last, last.time == time, last.values == new.values {
        return .ignored(.late)
      }
      if isLoss(reading.measurement) {
        if reading.isOnBody == false {
          if losses.first?.reading.source == reading.source { losses = [] }
          return .ignored(.offBody)
        }
        let hadPulse = pulses.contains { $0.source == reading.source && time - $0.time <= 60_000 }
        let isFollowing = losses.first?.reading.source == reading.source
        guard hadPulse || isFollowing || isPulseLost(now) else { return .ignored(.implausible) }
      } else if new.kind == "heart" {
        pulses.append((reading.source, time))
      }
      let last59 = same.suffix(59)
      new.isStuck = last59.count == 59 && last59.allSatisfy { $0.values == new.values }
      if isLoss(reading.measurement) { new.isStuck = false }
    } else {
      falls.append(time)
    }
    seen.append(new)
    if new.isStuck { return .ignored(.stuck) }
    if now - time < 600_000 { silenceTold = false }
    if now - time > 60_000 { return .ignored(.stale) }
    if time < pausedUntil { return .ignored(.paused) }
    if isLoss(reading.measurement) {
      takeLoss(reading, time, now, &decisions)
      return .critical
    }
    if new.kind == "heart" { noteLife(time, now, &decisions) }
    var isCritical = false
    for rule in Rule.allCases {
      guard let breaks = breaks(rule, reading.measurement, time) else { continue }
      isCritical = isCritical || breaks
      told[rule, default: []].append(Told(time: time, now: now, isCritical: breaks))
      decide(rule, breaks, time, now, &decisions)
      if breaks, rule == .fall || rule == .shaking || reading.isLast { ask(rule, now, &decisions) }
    }
    return isCritical ? .critical : .normal
  }

  private func isPossible(_ measurement: Measurement) -> Bool {
    switch measurement {
    case .heartRate(let rate): rate >= 0 && rate <= 250
    case .bloodPressure(let high, let low):
      high >= 40 && high <= 300 && low >= 20 && low <= 200 && high > low
    case .systolicPressure(let high): high >= 40 && high <= 300
    case .diastolicPressure(let low): low >= 20 && low <= 200
    case .speed(let speed): speed >= 0 && speed <= 100
    case .steps(let steps): steps >= 0 && steps <= 100_000
    case .fall, .shaking, .exercise: true
    }
  }

  private func kind(_ measurement: Measurement) -> String {
    switch measurement {
    case .heartRate: "heart"
    case .bloodPressure, .systolicPressure, .diastolicPressure: "pressure"
    default: "event"
    }
  }

  private func values(_ measurement: Measurement) -> [Double] {
    switch measurement {
    case .heartRate(let rate): [rate]
    case .bloodPressure(let high, let low): [high, low]
    case .systolicPressure(let high): [high, -1]
    case .diastolicPressure(let low): [-1, low]
    default: []
    }
  }

  /// Whether a measurement breaks a rule; nil if the rule does not apply to it.
  private func breaks(_ rule: Rule, _ measurement: Measurement, _ time: Int64) -> Bool? {
    switch (rule, measurement) {
    case (.heartRateLow, .heartRate(let rate)): return rate < person.low
    case (.heartRateHigh, .heartRate(let rate)):
      let isExercising = exercise.contains { time <= $0 + 120_000 }
      return rate > (isExercising ? person.exerciseHigh : person.high)
    case (.bloodPressureLow, .bloodPressure(let high, _)),
      (.bloodPressureLow, .systolicPressure(let high)):
      return person.hasPressureRules && high <= 90
    case (.bloodPressureHigh, .bloodPressure(let high, let low)):
      return person.hasPressureRules && (high > 170 || low > 100)
    case (.bloodPressureHigh, .systolicPressure(let high)):
      return person.hasPressureRules && high > 170 ? true : nil
    case (.bloodPressureHigh, .diastolicPressure(let low)):
      return person.hasPressureRules && low > 100 ? true : nil
    case (.fall, .fall), (.shaking, .shaking): return true
    default: return nil
    }
  }
}

// MARK: Silence

extension DetectorModel {
  private var lastHeard: Int64 {
    seen.filter { !$0.isStuck }.map(\.time).reduce(start, max)
  }

  private var silenceDue: Int64 { max(lastHeard, pausedUntil) + 600_000 }

  /// The next time at which a decision is due without a reading.
  func nextDeadline(after now: Int64) -> Int64? {
    var dues = silenceTold ? [] : [silenceDue]
    if let first = losses.first { dues.append(first.now + 10_000) }
    for rule in Rule.allCases {
      guard let history = emergencies[rule]?.last else { continue }
      if let due = due(history) {
        dues.append(due)
      } else if let end = quietEnd(history), end > now {
        dues.append(end)
      }
    }
    return dues.min()
  }
}

// MARK: Emergencies

extension DetectorModel {
  private mutating func decide(
    _ rule: Rule, _ isCritical: Bool, _ time: Int64, _ now: Int64, _ decisions: inout [Decision]
  ) {
    let count = emergencies[rule, default: []].count
    guard let last = emergencies[rule]?.last, isOpen(last) else {
      if let end = emergencies[rule]?.last.flatMap(quietEnd), now < end { return }
      if isCritical { begin(rule, time, now, &decisions) }
      return
    }
    guard last.confirmedAt == nil else { return }
    if !isCritical {
      emergencies[rule]?[count - 1].withdrawnAt = now
      decisions.append(.withdrawn(last.emergency))
    } else if rule != .fall && rule != .shaking
      && time - last.emergency.firstCritical.milliseconds >= confirm
    {
      emergencies[rule]?[count - 1].confirmedAt = now
      decisions.append(.confirmed(last.emergency))
    }
  }

  private mutating func begin(
    _ rule: Rule, _ time: Int64, _ now: Int64, _ decisions: inout [Decision]
  ) {
    let emergency = Emergency(
      rule: rule, firstCritical: Moment(milliseconds: time),
      suspectedAt: Moment(milliseconds: now), abortUntil: Moment(milliseconds: now + window))
    emergencies[rule, default: []].append(History(emergency: emergency))
    decisions.append(.suspected(emergency))
  }

  /// Asks the person about an unconfirmed emergency.
  private mutating func ask(_ rule: Rule, _ now: Int64, _ decisions: inout [Decision]) {
    let place = emergencies[rule, default: []].count - 1
    guard let last = emergencies[rule]?.last, isOpen(last), last.askedAt == nil,
      last.confirmedAt == nil
    else { return }
    emergencies[rule]?[place].askedAt = now
    decisions.append(.asked(last.emergency, answerBy: Moment(milliseconds: now + windowOf(last))))
  }

  private func windowOf(_ history: History) -> Int64 {
    history.emergency.abortUntil.milliseconds - history.emergency.suspectedAt.milliseconds
  }

  func isOpen(_ history: History) -> Bool {
    history.withdrawnAt == nil && history.endedAt == nil && history.dispatchedAt == nil
  }

  /// When an open emergency advances by itself.
  private func due(_ history: History) -> Int64? {
    guard isOpen(history) else { return nil }
    if let confirmedAt = history.confirmedAt {
      return max(confirmedAt, history.emergency.abortUntil.milliseconds)
    }
    if let askedAt = history.askedAt { return askedAt + windowOf(history) }
    return history.emergency.suspectedAt.milliseconds + 30_000
  }

  /// The end of the quiet time of a rule after an emergency.
  func quietEnd(_ history: History) -> Int64? {
    if let endedAt = history.endedAt { return endedAt + 600_000 }
    guard let dispatchedAt = history.dispatchedAt else { return nil }
    var end = dispatchedAt + 600_000
    for reading in told[history.emergency.rule] ?? []
    where reading.isCritical && reading.now >= dispatchedAt && reading.now < end {
      end = reading.now + 600_000
    }
    return end
  }

  private mutating func advance(_ rule: Rule, _ now: Int64, _ decisions: inout [Decision]) {
    while let history = emergencies[rule]?.last, let due = due(history), due <= now {
      let place = emergencies[rule, default: []].count - 1
      if history.confirmedAt != nil {
        emergencies[rule]?[place].dispatchedAt = now
        decisions.append(.dispatched(history.emergency))
      } else if history.askedAt != nil {
        emergencies[rule]?[place].confirmedAt = now
        decisions.append(.confirmed(history.emergency))
      } else {
        emergencies[rule]?[place].askedAt = now
        decisions.append(
          .asked(history.emergency, answerBy: Moment(milliseconds: now + window)))
      }
    }
  }

  mutating func abort(_ emergency: Emergency, _ now: Int64) -> [Decision] {
    var decisions = advance(now)
    let place = emergencies[emergency.rule, default: []].count - 1
    if let last = emergencies[emergency.rule]?.last, last.emergency == emergency, isOpen(last) {
      emergencies[emergency.rule]?[place].endedAt = now
      decisions.append(.aborted(emergency))
    }
    return decisions
  }

  mutating func close(_ emergency: Emergency, _ now: Int64) -> [Decision] {
    let decisions = advance(now)
    let place = emergencies[emergency.rule, default: []].count - 1
    if let last = emergencies[emergency.rule]?.last, last.emergency == emergency,
      last.dispatchedAt != nil, last.endedAt == nil, let end = quietEnd(last), now < end
    {
      emergencies[emergency.rule]?[place].endedAt = now
    }
    return decisions
  }
}
