import AutomatedSOS
import Bytes
import Domain
import ServiceKit
import Synchronization
import Time

/// The detectors of all monitored people, one per person and process: readings are judged here
/// before any database is asked.
///
/// From any thread: people are spread over shards, each with a lock that is held while one upload
/// is judged.
package final class Monitoring: Sendable {
  /// The most readings of an emergency that each transition contains.
  private static let readingsMax = 20
  private static let shardCount = 64

  private let shards: [Shard]
  private let timing: Timing

  private final class Shard: Sendable {
    let state = Mutex(State())
  }

  private struct State {
    var people: [AccountID: MonitoredPerson] = [:]
    /// Transitions to apply, one after the other for each person.
    var waiting: [AccountID: [EmergencyTransition]] = [:]
    /// The times of the newest readings since they were last read out.
    var heard: [AccountID: Moment] = [:]
    /// The ends of the quiet periods of called emergencies, as far as readings have extended them
    /// since they were last read out.
    var prolonged: [AccountID: [Emergency: Moment]] = [:]
    /// When to ask people about a first reading without a pulse that no other one followed.
    var awaited: [AccountID: Moment] = [:]

    /// Appends transitions to a person's queue; returns whether no task works on that queue yet.
    mutating func enqueue(_ transitions: [EmergencyTransition], of account: AccountID) -> Bool {
      guard !transitions.isEmpty else { return false }
      let isCarried = waiting[account] != nil
      waiting[account, default: []] += transitions
      return !isCarried
    }
  }

  /// Detectors without any people yet, with the operator's times.
  package init(_ settings: EmergencySettings) {
    timing = settings.timing
    shards = (0..<Self.shardCount).map { _ in Shard() }
  }

  private func shard(of account: AccountID) -> Shard {
    let hash = UInt64(bitPattern: account.rawValue) &* SplitMix64.increment
    return shards[Int(hash >> 58)]
  }

  /// How many people are monitored.
  package var count: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.people.count } } }

  /// Whether a person is monitored.
  func watches(_ account: AccountID) -> Bool {
    shard(of: account).state.withLock { $0.people[account] != nil }
  }

  /// Stores the settings of a monitored person, or removes the person once monitoring has ended.
  func apply(_ row: MonitoredUserRow, at now: Moment, today: CalendarDate) {
    shard(of: row.account).state.withLock { state in
      guard row.permittedAt != nil, let birthDate = row.birthDate else {
        state.people[row.account] = nil
        return
      }
      var person =
        state.people[row.account]
        ?? MonitoredPerson(birthDate, row.personal, timing, at: now, today: today)
      person.change(birthDate, row.personal, pausedUntil: row.pausedUntil, today: today)
      state.people[row.account] = person
    }
  }

  /// Marks these people as exercising now, like a sample that says so: for two minutes.
  func noteExercise(of accounts: [AccountID], at now: Moment) {
    for account in accounts {
      shard(of: account).state.withLock {
        _ = $0.people[account]?.detector.take(Reading(.exercise, at: now), at: now)
      }
    }
  }

  /// Applies the progress of a stored emergency.
  func resume(_ emergency: Emergency, _ life: EmergencyLife, of account: AccountID) {
    shard(of: account).state.withLock { $0.people[account]?.detector.resume(emergency, life) }
  }

  /// Removes an emergency, but not another one of its rule: the rule is ready at once.
  func forget(_ emergency: Emergency, of account: AccountID) {
    shard(of: account).state.withLock { state in
      guard let own = state.people[account]?.detector.emergency(of: emergency.rule),
        own.isSame(as: emergency)
      else { return }
      state.people[account]?.detector.resume(
        emergency, EmergencyLife(.withdrawn, dueAt: nil, quietUntil: nil))
    }
  }

  /// Judges the readings of a person's device, and appends the resulting transitions to the
  /// person's queue.
  ///
  /// Returns them, and whether the caller must apply them: one task at a time does, in the
  /// order of the decisions.
  func judge(
    _ judged: JudgedReadings, of account: AccountID, at now: Moment, today: CalendarDate
  ) -> (transitions: [EmergencyTransition], mustApply: Bool) {
    shard(of: account).state.withLock { state in
      guard var person = state.people[account] else { return ([], false) }
      let transitions = person.judge(judged, at: now, today: today, readingsMax: Self.readingsMax)
      if !person.prolonged.isEmpty {
        state.prolonged[account, default: [:]].merge(person.prolonged) { $1 }
        person.prolonged = [:]
      }
      state.people[account] = person
      state.heard[account] = person.heard
      state.awaited[account] = person.detector.pulseDeadline
      return (transitions, state.enqueue(transitions, of: account))
    }
  }

  /// Asks people after a first reading without a pulse that no other reading followed in time.
  /// Returns the transitions, and whether the caller must apply them, as `judge`.
  func askForPulses(
    at now: Moment
  ) -> [(account: AccountID, transitions: [EmergencyTransition], mustApply: Bool)] {
    var asked: [(account: AccountID, transitions: [EmergencyTransition], mustApply: Bool)] = []
    for shard in shards {
      shard.state.withLock { state in
        for (account, deadline) in state.awaited where deadline <= now {
          state.awaited[account] = nil
          guard let transitions = state.people[account]?.advance(to: now) else { continue }
          asked.append((account, transitions, state.enqueue(transitions, of: account)))
        }
      }
    }
    return asked
  }

  /// The transition to apply next; nil when there is none, which ends the task that works on the
  /// queue.
  func nextTransition(of account: AccountID) -> EmergencyTransition? {
    shard(of: account).state.withLock { state in
      guard let transition = state.waiting[account]?.first else {
        state.waiting[account] = nil
        return nil
      }
      return transition
    }
  }

  /// Removes the current transition, which was applied or has failed.
  func finishTransition(of account: AccountID) {
    shard(of: account).state.withLock { _ = $0.waiting[account]?.removeFirst() }
  }

  /// Removes the queued transitions of an emergency that is over and no longer held, except the
  /// first transition of the queue, which may be in progress.
  func dropTransitions(of emergency: Emergency, _ account: AccountID) {
    shard(of: account).state.withLock { state in
      guard let waiting = state.waiting[account] else { return }
      let others = waiting.dropFirst().filter { !$0.emergency.isSame(as: emergency) }
      state.waiting[account] = waiting.prefix(1) + others
    }
  }

  /// Whether a person has no queued transitions.
  func isSettled(_ account: AccountID) -> Bool {
    shard(of: account).state.withLock { $0.waiting[account] == nil }
  }

  /// The people with readings since the last call, with the time of the newest measurement.
  func drainHeard() -> [AccountID: Moment] {
    var all: [AccountID: Moment] = [:]
    for shard in shards {
      let heard = shard.state.withLock { state in
        defer { state.heard = [:] }
        return state.heard
      }
      all.merge(heard) { $1 }
    }
    return all
  }

  /// Removes the vital signs of people who have sent nothing for some minutes, in one of `count`
  /// parts of all people.
  func dropOldReadings(at now: Instant, part: Int, of count: Int) {
    for index in stride(from: part % count, to: shards.count, by: count) {
      shards[index].state.withLock { state in
        for place in state.people.values.indices {
          state.people.values[place].recent.drop(at: now.flooredToMilliseconds)
        }
      }
    }
  }

  /// The emergencies whose quiet periods were extended since the last call, with the new ends.
  func drainProlonged() -> [(AccountID, Emergency, Moment)] {
    shards.flatMap { shard in
      let prolonged = shard.state.withLock { state in
        defer { state.prolonged = [:] }
        return state.prolonged
      }
      return prolonged.flatMap { (account, emergencies) in
        emergencies.map { (account, $0.key, $0.value) }
      }
    }
  }
}

/// One monitored person.
private struct MonitoredPerson {
  var detector: Detector
  private var birthDate: CalendarDate
  private var personal: PersonalThresholds
  /// The day that the thresholds are for: they depend on the age.
  private var day: CalendarDate
  private var position: KnownPosition?
  /// Readings that a call contains besides those of a rule.
  var recent = RecentReadings()
  /// The time of the newest reading; nil before the first.
  private(set) var heard: Moment?
  /// Readings without a pulse that need a second one.
  private var pulseless: [EmergencyReading] = []
  /// Extensions by the readings just judged; empty between two uploads.
  var prolonged: [Emergency: Moment] = [:]

  init(
    _ birthDate: CalendarDate, _ personal: PersonalThresholds, _ timing: Timing, at now: Moment,
    today: CalendarDate
  ) {
    (self.birthDate, self.personal, day) = (birthDate, personal, today)
    detector = Detector(
      thresholds: Thresholds(age: Age(from: birthDate, on: today), preferring: personal),
      timing: timing, startingAt: now)
  }

  mutating func change(
    _ birthDate: CalendarDate, _ personal: PersonalThresholds, pausedUntil: Instant?,
    today: CalendarDate
  ) {
    (self.birthDate, self.personal) = (birthDate, personal)
    setThresholds(today)
    detector.pause(until: Moment(milliseconds: pausedUntil?.millisecondsSince1970 ?? 0))
  }

  private mutating func setThresholds(_ today: CalendarDate) {
    day = today
    detector.thresholds = Thresholds(age: Age(from: birthDate, on: today), preferring: personal)
  }

  mutating func judge(
    _ judged: JudgedReadings, at now: Moment, today: CalendarDate, readingsMax: Int
  ) -> [EmergencyTransition] {
    if day != today { setThresholds(today) }
    if let newest = judged.position, newest.time >= position?.time ?? .firstWritable {
      position = newest
    }
    var transitions: [EmergencyTransition] = []
    var critical: [EmergencyReading] = []
    recent.add(judged.vitalSigns, at: now.instant)
    for entry in judged.entries {
      let judgement = detector.take(entry.reading, at: now)
      hear(entry.reading.time, now)
      if judgement.verdict == .critical || !judgement.decisions.isEmpty {
        let isBasis = judgement.verdict == .critical
        let samples = isBasis ? entry.samples.map(\.asBasis) : entry.samples
        critical = (critical + samples).suffix(readingsMax)
        noteProlonged()
      }
      transitions += self.transitions(judgement.decisions, critical)
      if detector.pulseDeadline == nil {
        pulseless = []
      } else if judgement.verdict == .critical {
        pulseless = (pulseless + entry.samples.map(\.asBasis)).suffix(readingsMax)
      }
    }
    return transitions
  }

  /// Returns the transitions that are due by now.
  mutating func advance(to now: Moment) -> [EmergencyTransition] {
    let transitions = transitions(detector.advance(to: now), [])
    if detector.pulseDeadline == nil { pulseless = [] }
    return transitions
  }

  /// The transitions of simultaneous decisions: an emergency that begins and advances at once is
  /// one transition.
  private func transitions(
    _ decisions: [Decision], _ critical: [EmergencyReading]
  ) -> [EmergencyTransition] {
    var transitions: [EmergencyTransition] = []
    for decision in decisions {
      guard let (kind, emergency) = decision.transition else { continue }
      let begun = transitions.lastIndex { $0.isNew && $0.emergency == emergency }
      let earlier = emergency.rule == .lossOfPulse ? pulseless : []
      let transition = EmergencyTransition(
        kind: kind, isNew: kind == .suspected || begun != nil, emergency: emergency,
        readings: earlier.filter { !critical.contains($0) } + critical,
        vitalSigns: recent.list, position: position)
      if let begun { transitions[begun] = transition } else { transitions.append(transition) }
    }
    return transitions
  }

  /// A critical reading after a call extends the quiet period of its rule.
  private mutating func noteProlonged() {
    for rule in Rule.allCases {
      guard let until = detector.quietUntil(rule), let emergency = detector.emergency(of: rule)
      else {
        continue
      }
      prolonged[emergency] = until
    }
  }

  private mutating func hear(_ time: Moment, _ now: Moment) {
    heard = max(heard ?? .init(milliseconds: 0), min(time, now))
  }
}

extension Decision {
  /// The transition of a decision to apply; the stored row and the scheduler decide the
  /// rest.
  fileprivate var transition: (EmergencyTransition.Kind, Emergency)? {
    switch self {
    case .suspected(let emergency): (.suspected, emergency)
    case .asked(let emergency, _): (.asked, emergency)
    case .confirmed(let emergency): (.confirmed, emergency)
    case .withdrawn(let emergency): (.withdrawn, emergency)
    case .aborted, .dispatched, .silent: nil
    }
  }
}
