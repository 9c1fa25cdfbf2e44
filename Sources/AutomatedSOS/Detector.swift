/// Decides for one person when readings are an emergency. Deterministic: the same calls give the
/// same decisions, on a phone, on every replica, and when they are replayed.
///
/// `now` is the caller's clock, which does not run back; if it is set back all the same, no stage
/// begins anew longer than it is. Readings of one upload come in the order of their times: one that
/// is older than the newest of its kind is late and counts for nothing. Between readings the caller
/// calls `advance(to:)` at `nextDeadline`.
///
/// A detector takes 104 bytes, and while rules are broken, or quiet after an episode, 32 bytes and
/// 40 for each of them beside, of six at most. Readings that break no rule allocate nothing.
public struct Detector: Hashable, Sendable {
  // In an order that leaves no room between the fields.
  private var heart = Sensor()
  private let timing: Timing
  private var isSilenceTold = false
  /// From which values on readings are critical; may be changed at any time.
  public var thresholds: Thresholds
  private var pressure = Sensor()
  /// The newest measurement that could be judged, or the beginning of monitoring.
  private var heard: Moment
  private var pausedUntil = Moment.first
  private var exercisingUntil = Moment.first
  /// One a rule at most.
  private var episodes: [EpisodeStateMachine] = []

  /// Begins to monitor somebody.
  public init(thresholds: Thresholds, timing: Timing = Timing(), startingAt now: Moment) {
    self.thresholds = thresholds
    self.timing = timing
    heard = now
  }

  /// Judges a reading that has just arrived, after all that was due before.
  public mutating func take(_ reading: Reading, at now: Moment) -> Judgement {
    var decisions = advance(to: now)
    let verdict = judge(reading, now, &decisions)
    return Judgement(verdict: verdict, decisions: decisions)
  }

  /// What is due by now.
  public mutating func advance(to now: Moment) -> [Decision] {
    var decisions: [Decision] = []
    if !episodes.isEmpty { advanceEpisodes(now, &decisions) }
    heard = min(heard, now)
    if !isSilenceTold && silenceDue <= now {
      isSilenceTold = true
      decisions.append(.silent(since: heard))
    }
    return decisions
  }

  /// When `advance(to:)` has something to do, if nothing else happens; nil for never.
  public var nextDeadline: Moment? {
    let episode = episodes.lazy.map { $0.due }.min()
    guard !isSilenceTold else { return episode }
    return min(episode ?? silenceDue, silenceDue)
  }

  /// The person aborts an episode: `aborted` is among the decisions unless it was too late, or the
  /// episode is not under way. Its rule is quiet for ten minutes.
  public mutating func abort(_ episode: Episode, at now: Moment) -> [Decision] {
    var decisions = advance(to: now)
    if let place = place(of: episode), episodes[place].abort(now) {
      decisions.append(.aborted(episodes[place].episode))
    }
    return decisions
  }

  /// Tells that a dispatched episode is over: the hospital closed it, or it was a false alarm.
  ///
  /// Ten minutes later its rule raises another one even if readings stayed critical all the time.
  public mutating func close(_ episode: Episode, at now: Moment) -> [Decision] {
    let decisions = advance(to: now)
    if let place = place(of: episode) { episodes[place].close(now) }
    return decisions
  }

  /// Goes on with an episode as it was stored: one that another detector of the person decided, or
  /// changed. It takes the place of whatever its rule has here.
  ///
  /// For a replica that takes over, and for one that follows what others decide. Nothing is decided
  /// by it; what is due then is decided by the next call.
  public mutating func resume(_ episode: Episode, _ stage: EpisodeStage) {
    episodes.removeAll { $0.episode.rule == episode.rule }
    if let resumed = EpisodeStateMachine(resuming: episode, stage) { episodes.append(resumed) }
  }

  /// The episode of a rule that is under way, or that keeps it quiet; nil if it may raise one.
  public func episode(of rule: Rule) -> Episode? {
    episodes.first { $0.episode.rule == rule }?.episode
  }

  /// Until when a dispatched episode keeps its rule from raising another one, if no critical
  /// reading follows; nil where none is dispatched. Replicas that have not judged the readings are
  /// told it.
  public func quietUntil(_ rule: Rule) -> Moment? {
    episodes.first { $0.episode.rule == rule }?.quietUntil
  }

  /// Pauses monitoring; a moment that is past, or now, resumes it.
  ///
  /// What is measured meanwhile is not judged, whenever it comes, and silence is not told. An
  /// episode that is under way goes on: only aborting ends it.
  public mutating func pause(until end: Moment) { pausedUntil = end }

  /// Tells that the person exercises until then, as in a run that is on; replaces what
  /// was known.
  public mutating func exercise(until end: Moment) { exercisingUntil = end }
}

// MARK: Readings

extension Detector {
  private mutating func judge(
    _ reading: Reading, _ now: Moment, _ decisions: inout [Decision]
  ) -> Verdict {
    guard Plausibility.holds(reading.measurement) else { return .ignored(.implausible) }
    guard reading.time <= now + DetectorTimes.aheadMilliseconds else { return .ignored(.ahead) }
    // A device whose clock is a little ahead measured this just now.
    let time = min(reading.time, now)
    switch sensed(reading.measurement, time, now) {
    case .fresh: break
    case .late: return .ignored(.late)
    case .stuck: return .ignored(.stuck)
    case nil: return .context
    }
    hear(time, now)
    guard now - time <= DetectorTimes.staleMilliseconds else { return .ignored(.stale) }
    guard time >= pausedUntil else { return .ignored(.paused) }
    let findings = RuleFindings(
      reading.measurement, by: thresholds, isExercising: time <= exercisingUntil)
    if !episodes.isEmpty || !findings.critical.isEmpty {
      apply(findings, time, now, &decisions)
    }
    return findings.critical.isEmpty ? .normal : .critical
  }

  /// What the order and the values of readings say; nil for what is no vital sign.
  private mutating func sensed(
    _ measurement: Measurement, _ time: Moment, _ now: Moment
  ) -> Sensor.Finding? {
    switch measurement {
    case .heartRate(let rate): return heart.take(Float(rate), 0, at: time, now: now)
    case .bloodPressure(let systolic, let diastolic):
      return pressure.take(Float(systolic), Float(diastolic), at: time, now: now)
    case .systolicPressure(let value): return pressure.take(Float(value), 0, at: time, now: now)
    case .diastolicPressure(let value): return pressure.take(0, Float(value), at: time, now: now)
    case .fall, .shaking: return .fresh
    case .speed(let speed):
      if Exertion.speeds.contains(speed) { noteExercise(time) }
      return nil
    case .exercise:
      noteExercise(time)
      return nil
    }
  }

  private mutating func noteExercise(_ time: Moment) {
    exercisingUntil = max(exercisingUntil, time + DetectorTimes.exerciseMilliseconds)
  }
}

// MARK: Silence

extension Detector {
  private var silenceDue: Moment {
    max(heard, pausedUntil) + DetectorTimes.silenceMilliseconds
  }

  /// What was measured before the silence began does not end it.
  private mutating func hear(_ time: Moment, _ now: Moment) {
    heard = max(heard, time)
    if now - time < DetectorTimes.silenceMilliseconds { isSilenceTold = false }
  }
}

// MARK: Episodes

extension Detector {
  private mutating func apply(
    _ findings: RuleFindings, _ time: Moment, _ now: Moment, _ decisions: inout [Decision]
  ) {
    var fresh = findings.critical
    for place in episodes.indices.reversed() {
      let rule = Rules(episodes[place].episode.rule)
      if findings.critical.contains(rule) {
        fresh.remove(rule)
        let decision = episodes[place].takeCritical(measuredAt: time, now: now, timing: timing)
        if let decision { decisions.append(decision) }
      } else if findings.normal.contains(rule), episodes[place].isWithdrawnByNormal {
        decisions.append(.withdrawn(episodes.remove(at: place).episode))
      }
    }
    for rule in Rule.allCases where fresh.contains(Rules(rule)) {
      let begun = EpisodeStateMachine(rule, measuredAt: time, now: now, timing: timing)
      episodes.append(begun)
      decisions.append(.suspected(begun.episode))
    }
    advanceEpisodes(now, &decisions)
  }

  /// Takes every episode through all stages that end by now.
  private mutating func advanceEpisodes(_ now: Moment, _ decisions: inout [Decision]) {
    for place in episodes.indices.reversed() {
      stages: while true {
        switch episodes[place].advance(now, timing: timing) {
        case .notYet: break stages
        case .decided(let decision): decisions.append(decision)
        case .gone:
          episodes.remove(at: place)
          break stages
        }
      }
    }
  }

  private func place(of episode: Episode) -> Int? {
    episodes.firstIndex { $0.episode.isSame(as: episode) }
  }
}
