/// Decides from one person's readings whether there is an emergency. Deterministic: the same calls
/// yield the same decisions, on a phone, on every replica, and when replayed.
///
/// `now` is the caller's clock, which should not run backwards; if it is set back, no stage
/// restarts with more than its full length. Readings of one upload arrive in order of their times:
/// a reading older than the newest of its kind is late and ignored. Between readings the caller
/// calls `advance(to:)` at `nextDeadline`.
///
/// A detector takes 112 bytes. While rules are broken, or quiet after an emergency, it takes
/// another 32 bytes and 64 for each such rule, at most seven. Readings that break no rule allocate
/// nothing.
public struct Detector: Hashable, Sendable {
  // Ordered to avoid padding between the fields.
  private var heart = Sensor()
  private let timing: Timing
  private var isSilenceReported = false
  /// The thresholds of critical readings; may be changed at any time.
  public var thresholds: Thresholds
  private var pressure = Sensor()
  /// The source of the newest pulse.
  private var heartSource: Int32 = 0
  /// The time of the newest measurement that could be judged, or the start of monitoring.
  private var heard: Moment
  private var pausedUntil = Moment.first
  private var exercisingUntil = Moment.first
  private var pulse = PulseWatch()
  /// At most one per rule.
  private var emergencies: [RunningEmergency] = []

  /// Starts monitoring a person.
  public init(thresholds: Thresholds, timing: Timing = Timing(), startingAt now: Moment) {
    self.thresholds = thresholds
    self.timing = timing
    heard = now
  }

  /// Judges a reading that has just arrived, after everything that was due before.
  public mutating func take(_ reading: Reading, at now: Moment) -> Judgement {
    var decisions = advance(to: now)
    let verdict = judge(reading, now, &decisions)
    return Judgement(verdict: verdict, decisions: decisions)
  }

  /// Makes the decisions that are due by now.
  public mutating func advance(to now: Moment) -> [Decision] {
    var decisions: [Decision] = []
    if pulse.askAt != nil { askForPulse(now, &decisions) }
    if !emergencies.isEmpty { advanceEmergencies(now, &decisions) }
    heard = min(heard, now)
    if !isSilenceReported && silenceDue <= now {
      isSilenceReported = true
      decisions.append(.silent(since: heard))
    }
    return decisions
  }

  /// When `advance(to:)` has work to do if no reading arrives; nil for never.
  public var nextDeadline: Moment? {
    let deadlines = [
      emergencies.lazy.map { $0.deadline }.min(), pulse.askAt, isSilenceReported ? nil : silenceDue,
    ]
    return deadlines.lazy.compactMap(\.self).min()
  }

  /// When the person is asked because no reading followed a first one without a pulse; nil unless
  /// such a reading is pending. No one is notified before, because a single such reading is usually
  /// a sensor fault. Meanwhile the device should measure as often as it can.
  public var pulseDeadline: Moment? { pulse.askAt }

  /// The person aborts an emergency. The decisions contain `aborted`, unless it was too late or the
  /// emergency is not in progress. Its rule is quiet for ten minutes.
  public mutating func abort(_ emergency: Emergency, at now: Moment) -> [Decision] {
    var decisions = advance(to: now)
    if let index = index(of: emergency), emergencies[index].life.abort(at: now) {
      decisions.append(.aborted(emergencies[index].emergency))
    }
    return decisions
  }

  /// Records that a dispatched emergency is over: the hospital closed it, or it was a false alarm.
  ///
  /// Ten minutes later its rule can raise a new one, even if readings stayed critical all the time.
  public mutating func close(_ emergency: Emergency, at now: Moment) -> [Decision] {
    let decisions = advance(to: now)
    if let index = index(of: emergency) { emergencies[index].close(at: now) }
    return decisions
  }

  /// Continues an emergency from storage: one that another detector of the same person decided or
  /// changed. It replaces this detector's emergency of the same rule.
  ///
  /// For a replica that takes over, and for one that follows another's decisions. This call decides
  /// nothing; the next call decides what is due then.
  public mutating func resume(_ emergency: Emergency, _ life: EmergencyLife) {
    emergencies.removeAll { $0.emergency.rule == emergency.rule }
    if let resumed = RunningEmergency(resuming: emergency, life) { emergencies.append(resumed) }
  }

  /// A rule's emergency in progress, or the one that keeps the rule quiet; nil if it may raise one.
  public func emergency(of rule: Rule) -> Emergency? {
    emergencies.first { $0.emergency.rule == rule }?.emergency
  }

  /// When a dispatched emergency stops keeping its rule quiet if no critical reading follows; nil
  /// if none is dispatched. Passed to replicas that have not judged the readings.
  public func quietUntil(_ rule: Rule) -> Moment? {
    emergencies.first { $0.emergency.rule == rule }?.quietUntil
  }

  /// Pauses monitoring until `end`; a moment that is not in the future resumes it.
  ///
  /// Readings measured during the pause are not judged, whenever they arrive, and silence is not
  /// reported. An emergency in progress continues: only aborting ends it.
  public mutating func pause(until end: Moment) { pausedUntil = end }

  /// Records that the person exercises until `end`, for example during a run; replaces the previous
  /// value.
  public mutating func exercise(until end: Moment) { exercisingUntil = end }
}

// MARK: Readings

extension Detector {
  private mutating func judge(
    _ reading: Reading, _ now: Moment, _ decisions: inout [Decision]
  ) -> Verdict {
    guard isPossible(reading.measurement) else { return .ignored(.implausible) }
    guard reading.time <= now + DetectorTimes.aheadMilliseconds else { return .ignored(.ahead) }
    // A device whose clock is slightly ahead measured this just now.
    let time = min(reading.time, now)
    let isLoss = isPulseless(reading.measurement)
    if isLoss, let reason = reasonAgainstLoss(reading, time, now) { return .ignored(reason) }
    switch sensed(reading, time, now) {
    case .fresh: break
    case .late: return .ignored(.late)
    case .stuck where !isLoss: return .ignored(.stuck)
    case .stuck: break
    case nil:
      noteMovement(reading.measurement, time, &decisions)
      return .context
    }
    hear(time, now)
    guard now - time <= DetectorTimes.staleMilliseconds else { return .ignored(.stale) }
    guard time >= pausedUntil else { return .ignored(.paused) }
    if isLoss {
      takeLoss(reading, time, now, &decisions)
      return .critical
    }
    let findings = RuleFindings(
      reading.measurement, by: thresholds, isExercising: time <= exercisingUntil)
    if findings.normal.contains(Rules(.lossOfPulse)) { pulse.noteLife(time) }
    if !emergencies.isEmpty || !findings.critical.isEmpty {
      apply(findings, reading, time, now, &decisions)
    }
    return findings.critical.isEmpty ? .normal : .critical
  }

  private func isPossible(_ measurement: Measurement) -> Bool {
    Plausibility.holds(measurement) || isPulseless(measurement)
  }

  private func isPulseless(_ measurement: Measurement) -> Bool {
    if case .heartRate(let rate) = measurement {
      Plausibility.pulseless.contains(rate)
    } else {
      false
    }
  }

  /// Evaluates the order and the values of readings; nil for a measurement that is not a vital
  /// sign.
  private mutating func sensed(
    _ reading: Reading, _ time: Moment, _ now: Moment
  ) -> Sensor.Finding? {
    switch reading.measurement {
    case .heartRate(let rate):
      let before = heart.newestPulse
      let finding = heart.take(Float(rate), 0, at: time, now: now)
      guard finding != .late else { return .late }
      let isPulse = Plausibility.heartRate.contains(rate)
      if let before, !isPulse || heartSource != reading.source {
        pulse.keepPulse(of: heartSource, before, at: time)
      }
      if isPulse { heartSource = reading.source }
      return finding
    case .bloodPressure(let systolic, let diastolic):
      return pressure.take(Float(systolic), Float(diastolic), at: time, now: now)
    case .systolicPressure(let value): return pressure.take(Float(value), 0, at: time, now: now)
    case .diastolicPressure(let value): return pressure.take(0, Float(value), at: time, now: now)
    case .fall, .shaking:
      pulse.noteFall(time)
      return .fresh
    case .speed(let speed):
      if Exertion.speeds.contains(speed) { noteExercise(time) }
      return nil
    case .steps: return nil
    case .exercise:
      noteExercise(time)
      return nil
    }
  }

  private mutating func noteExercise(_ time: Moment) {
    exercisingUntil = max(exercisingUntil, time + DetectorTimes.exerciseMilliseconds)
  }
}

// MARK: Loss of pulse

extension Detector {
  /// The reason why a reading without a pulse is not a loss of pulse; nil if it is one.
  private mutating func reasonAgainstLoss(
    _ reading: Reading, _ time: Moment, _ now: Moment
  ) -> IgnoredReading? {
    if case .heartRate(let rate) = reading.measurement,
      heart.isLate(Float(rate), 0, at: time, now: now)
    {
      return .late
    }
    if reading.isOnBody == false {
      pulse.noteOffBody(reading.source)
      return .offBody
    }
    let isUnderWay = emergencies.contains {
      $0.emergency.rule == .lossOfPulse && !$0.life.stage.isOver
    }
    let newest = heartSource == reading.source ? heart.newestPulse : nil
    return isUnderWay || pulse.isLoss(from: reading.source, at: time, pulse: newest)
      ? nil : .implausible
  }

  /// Handles a reading without a pulse: the first one is pending, the second confirms. If it is the
  /// device's last reading, the person is asked at once.
  private mutating func takeLoss(
    _ reading: Reading, _ time: Moment, _ now: Moment, _ decisions: inout [Decision]
  ) {
    if let index = emergencies.firstIndex(where: { $0.emergency.rule == .lossOfPulse }) {
      if emergencies[index].takeCritical(measuredAt: time, now: now, timing: timing) {
        decisions.append(.confirmed(emergencies[index].emergency))
      }
    } else {
      let isConfirmed = pulse.take(
        from: reading.source, time, isOnBody: reading.isOnBody ?? false, now: now)
      if isConfirmed || reading.isLast { beginLoss(isConfirmed: isConfirmed, now, &decisions) }
    }
    advanceEmergencies(now, &decisions)
  }

  /// Asks the person because no reading followed a first one without a pulse.
  private mutating func askForPulse(_ now: Moment, _ decisions: inout [Decision]) {
    pulse.limit(at: now)
    guard let askAt = pulse.askAt, askAt <= now else { return }
    beginLoss(isConfirmed: false, now, &decisions)
  }

  private mutating func beginLoss(
    isConfirmed: Bool, _ now: Moment, _ decisions: inout [Decision]
  ) {
    guard var begun = pulse.begin(at: now, timing: timing),
      !emergencies.contains(where: { $0.emergency.rule == .lossOfPulse })
    else { return }
    decisions.append(.suspected(begun.emergency))
    if isConfirmed {
      if begun.life.confirm(at: now, abortUntil: begun.emergency.abortUntil) {
        decisions.append(.confirmed(begun.emergency))
      }
    } else if let asked = begun.ask(at: now, window: begun.emergency.windowMilliseconds) {
      decisions.append(asked)
    }
    emergencies.append(begun)
  }

  /// Movement proves that the person is alive.
  private mutating func noteMovement(
    _ measurement: Measurement, _ time: Moment, _ decisions: inout [Decision]
  ) {
    switch measurement {
    case .speed(let amount), .steps(let amount): guard amount > 0 else { return }
    default: return
    }
    pulse.noteLife(time)
    withdraw(Rules(.lossOfPulse), time, &decisions)
  }
}

// MARK: Silence

extension Detector {
  private var silenceDue: Moment {
    max(heard, pausedUntil) + DetectorTimes.silenceMilliseconds
  }

  /// A measurement from before the silence does not end it.
  private mutating func hear(_ time: Moment, _ now: Moment) {
    heard = max(heard, time)
    if now - time < DetectorTimes.silenceMilliseconds { isSilenceReported = false }
  }
}

// MARK: Emergencies

extension Detector {
  private mutating func apply(
    _ findings: RuleFindings, _ reading: Reading, _ time: Moment, _ now: Moment,
    _ decisions: inout [Decision]
  ) {
    withdraw(findings.normal, time, &decisions)
    for rule in Rule.allCases where findings.critical.contains(Rules(rule)) {
      var index = emergencies.firstIndex { $0.emergency.rule == rule }
      if let index {
        if emergencies[index].takeCritical(measuredAt: time, now: now, timing: timing) {
          decisions.append(.confirmed(emergencies[index].emergency))
        }
      } else {
        let begun = RunningEmergency(
          rule, measuredAt: time, now: now, window: timing.abortMilliseconds)
        index = emergencies.count
        emergencies.append(begun)
        decisions.append(.suspected(begun.emergency))
      }
      guard rule.isConcluded || reading.isLast, let index else { continue }
      let asked = emergencies[index].ask(at: now, window: timing.abortMilliseconds)
      if let asked { decisions.append(asked) }
    }
    advanceEmergencies(now, &decisions)
  }

  /// A reading in bounds withdraws an unconfirmed emergency. A pulse or movement also withdraws a
  /// confirmed loss of pulse, if measured after the first reading without one.
  private mutating func withdraw(_ rules: Rules, _ time: Moment, _ decisions: inout [Decision]) {
    for index in emergencies.indices.reversed() {
      let emergency = emergencies[index].emergency
      guard rules.contains(Rules(emergency.rule)),
        emergency.rule != .lossOfPulse || emergency.firstCritical < time,
        emergencies[index].life.withdraw(emergency.rule)
      else { continue }
      emergencies.remove(at: index)
      decisions.append(.withdrawn(emergency))
    }
  }

  /// Advances every emergency through all stages that end by now.
  private mutating func advanceEmergencies(_ now: Moment, _ decisions: inout [Decision]) {
    for index in emergencies.indices.reversed() {
      while let decision = emergencies[index].advance(now, timing: timing) {
        decisions.append(decision)
      }
      if emergencies[index].isForgotten(at: now) { emergencies.remove(at: index) }
    }
  }

  private func index(of emergency: Emergency) -> Int? {
    emergencies.firstIndex { $0.emergency.isSame(as: emergency) }
  }
}
