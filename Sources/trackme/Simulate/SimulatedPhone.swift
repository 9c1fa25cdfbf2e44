import AutomatedSOS
import Domain

/// A phone as a machine: what it measures, keeps and sends, and what it does about emergencies
/// (DAT-9, SOS-10). It does no input or output and reads no clock: moments and answers come in,
/// and what is to be done comes out.
///
/// The detector is that of the server, and needs none: the person is warned and can abort with the
/// server away. Whoever carries its actions out calls `advance(to:)` at `nextDeadline`.
package struct SimulatedPhone {
  /// What is to be done, each once, in this order.
  package enum Action: Equatable {
    /// Tell the person.
    case say(String)
    /// Add these to the file of what was not sent.
    case keep([VitalSign])
    /// Write that file anew: some of it was sent.
    case rewrite
    /// Send these, and tell `wasStored` or `wasNotReached`.
    case upload([VitalSign])
    /// Raise an alert, and tell `alertWasAnswered`.
    case raise(Rule, [VitalSign])
    /// Abort an emergency at the server, and tell `abortWasAnswered`.
    case abort(String)
    /// Ask how the person is monitored, and tell `took` or nothing.
    case readSettings
    /// The phone has done what it was to do.
    case end
  }

  /// What it is to do.
  package struct Plan: Sendable {
    /// Milliseconds between two samples while nothing is wrong, 30 s at most (DAT-9).
    package var sampleEvery: Int64 = 10_000
    /// Milliseconds between two uploads while nothing is wrong, four minutes at most (DAT-9).
    package var sendEvery: Int64 = 60_000
    /// Ends after so many samples; never, if nil.
    package var count: Int?
    /// The person aborts so many milliseconds after a warning; only when told so, if nil.
    package var abortAfter: Int64?
    /// The person's age, as long as the server has not said it.
    package var age = Age.eighteen
    /// Where the person is; not told, if nil.
    package var position: GeoPoint?

    /// A sample every ten seconds and an upload a minute, without end.
    package init() {}
  }

  /// Milliseconds between two samples while somebody is warned: three a second (SOS-3).
  static let alertedEvery: Int64 = 333
  /// How long the settings of the account hold before they are asked for again.
  static let settingsEvery: Int64 = 60_000

  let plan: Plan
  var detector: Detector
  var alerts = PhoneAlerts()
  /// What was not sent, oldest first.
  package private(set) var unsent: UnsentSamples
  private(set) var settings: PhoneSettings
  private var source: VitalSigns
  private var nextSampleAt: Timestamp
  private var lastSampleAt: Timestamp?
  private var sendDueAt: Timestamp
  private var settingsDueAt: Timestamp
  private var sampled = 0
  /// How many of the oldest are on their way.
  private var underWay: Int?
  private var isAway = false
  private var hasEnded = false

  /// A phone that begins now, with what it had not sent when it was switched off.
  package init(
    _ plan: Plan, _ source: VitalSigns, unsent: UnsentSamples = UnsentSamples(),
    at now: Timestamp
  ) {
    self.plan = plan
    self.source = source
    self.unsent = unsent
    settings = PhoneSettings(age: plan.age)
    detector = Detector(thresholds: Thresholds(age: plan.age), startingAt: now.moment)
    (nextSampleAt, sendDueAt, settingsDueAt) = (now, now, now)
  }

  /// Whether somebody is warned.
  package var isAlerted: Bool { alerts.isAlerted }

  /// Whether it samples and sends as fast as it can: somebody is warned, or a first reading without
  /// a pulse waits for a second one.
  private var isUrgent: Bool {
    isAlerted || (settings.isEnabled && detector.pulseDeadline != nil)
  }

  private var isMeasuring: Bool {
    if let count = plan.count, sampled >= count { return false }
    return !source.isOver || isUrgent
  }
}

// MARK: Time

extension SimulatedPhone {
  /// Does what is due by now.
  package mutating func advance(to now: Timestamp) -> [Action] {
    guard !hasEnded else { return [] }
    var actions: [Action] = []
    if settingsDueAt <= now {
      settingsDueAt = now.adding(milliseconds: Self.settingsEvery)
      actions.append(.readSettings)
    }
    if settings.isEnabled { decide(detector.advance(to: now.moment), now, &actions) }
    if isMeasuring, sampleDueAt <= now { sample(now, &actions) }
    alert(now, &actions)
    upload(now, &actions)
    if !isMeasuring, unsent.signs.isEmpty, underWay == nil, alerts.isQuiet {
      hasEnded = true
      actions.append(.end)
    }
    return actions
  }

  /// When `advance(to:)` has something to do, if nothing else happens.
  package var nextDeadline: Timestamp {
    var moments = [settingsDueAt]
    if settings.isEnabled { moments += [detector.nextDeadline?.timestamp].compactMap(\.self) }
    if isMeasuring { moments.append(sampleDueAt) }
    if !unsent.signs.isEmpty, underWay == nil { moments.append(sendDueAt) }
    moments += [alerts.nextDeadline].compactMap(\.self)
    return moments.min() ?? settingsDueAt
  }

  private var sampleDueAt: Timestamp {
    let regular = min(nextSampleAt, source.nextConclusion ?? nextSampleAt)
    guard isUrgent, let lastSampleAt else { return regular }
    return min(regular, lastSampleAt.adding(milliseconds: Self.alertedEvery))
  }
}

// MARK: Measuring

extension SimulatedPhone {
  private mutating func sample(_ now: Timestamp, _ actions: inout [Action]) {
    var signs = source.take(upTo: now)
    let regular = lastSampleAt == nil ? now : sampleDueAt
    sampled += 1
    lastSampleAt = now
    if let position = plan.position {
      signs.append(VitalSign(.position, .position(position), at: now))
    }
    if !signs.isEmpty {
      let dropped = unsent.add(signs)
      underWay = underWay.map { max(0, $0 - dropped) }
      actions.append(.keep(signs))
      if settings.isEnabled { judge(signs, now, &actions) }
    }
    let every = isUrgent ? Self.alertedEvery : plan.sampleEvery
    // A turn that is a little late makes the next one no later.
    let next = regular.adding(milliseconds: every)
    nextSampleAt = next > now ? next : now.adding(milliseconds: every)
    if isUrgent { sendDueAt = min(sendDueAt, now) }
  }

  private mutating func judge(
    _ signs: [VitalSign], _ now: Timestamp, _ actions: inout [Action]
  ) {
    for entry in PhoneReading.all(in: signs) {
      let judgement = detector.take(entry.reading, at: now.moment)
      if judgement.verdict == .critical { alerts.note(entry.signs) }
      decide(judgement.decisions, now, &actions)
    }
  }
}

// MARK: Sending

extension SimulatedPhone {
  private mutating func upload(_ now: Timestamp, _ actions: inout [Action]) {
    guard underWay == nil, !unsent.signs.isEmpty, sendDueAt <= now || (!isMeasuring && !isAway)
    else { return }
    let batch = Array(unsent.batch)
    underWay = batch.count
    actions.append(.upload(batch))
  }

  /// The upload was taken.
  package mutating func wasStored(at now: Timestamp) -> [Action] {
    let count = underWay ?? 0
    underWay = nil
    isAway = false
    unsent.removeOldest(count)
    // More than an upload takes goes on at once, and so does what came meanwhile while alerted.
    let hasMore = !unsent.signs.isEmpty && (count == UnsentSamples.batchMax || isUrgent)
    sendDueAt = hasMore ? now : now.adding(milliseconds: plan.sendEvery)
    return [.rewrite, .say("sent \(count)")] + advance(to: now)
  }

  /// The upload reached nobody, or nobody who could take it: it is tried again with the next
  /// sample.
  package mutating func wasNotReached(at now: Timestamp) -> [Action] {
    underWay = nil
    let every = isAlerted ? Self.alertedEvery : plan.sampleEvery
    sendDueAt = now.adding(milliseconds: every)
    defer { isAway = true }
    guard !isAway else { return [] }
    return [.say("the gateway is away: \(unsent.signs.count) wait")]
  }

  /// Takes over how the person is monitored.
  package mutating func took(_ answer: PhoneSettings, at now: Timestamp) -> [Action] {
    guard answer != settings else { return [] }
    if answer.timing != settings.timing, !isAlerted {
      detector = Detector(
        thresholds: answer.thresholds(or: plan.age), timing: answer.timing,
        startingAt: now.moment)
    }
    settings = answer
    detector.thresholds = answer.thresholds(or: plan.age)
    detector.pause(until: (answer.pausedUntil ?? .init(millisecondsSince1970: 0)).moment)
    guard answer.isEnabled else {
      return [.say("AutomatedSOS is switched off: nothing is judged")] + alerts.forget()
    }
    let bounds = Threshold.allCases.compactMap { threshold in
      detector.thresholds[threshold].map { "\(threshold.rawValue) \(Int($0))" }
    }
    return [.say("judging with the account's thresholds: \(bounds.joined(separator: ", "))")]
  }
}
