import AutomatedSOS
import Domain
import Time

/// A phone as a state machine for measuring, storing and sending, and for emergencies (DAT-9,
/// SOS-10). It does no I/O and reads no clock: times and answers are its inputs, actions are its
/// outputs.
///
/// It runs the same detector as the server and does not depend on the server: the person is warned
/// and can abort while the server is unreachable. The caller executes the actions and calls
/// `advance(to:)` at `nextDeadline`.
package struct SimulatedPhone {
  /// Something for the caller to do, once per action and in this order.
  package enum Action: Equatable {
    /// Show a message to the person.
    case say(String)
    /// Append these to the file of unsent samples.
    case keep([VitalSign])
    /// Rewrite that file, because some samples were sent.
    case rewrite
    /// Send these, then call `wasStored` or `wasNotReached`.
    case upload([VitalSign])
    /// Raise an alert, then call `alertWasAnswered`.
    case raise(Rule, [VitalSign])
    /// Abort an emergency at the server, then call `abortWasAnswered`.
    case abort(String)
    /// Request the monitoring settings, then call `took` if they arrive.
    case readSettings
    /// The phone's plan is complete.
    case end
  }

  /// The behaviour of the phone.
  package struct Plan: Sendable {
    /// Milliseconds between two samples in normal operation, at most 30 s (DAT-9).
    package var sampleEvery: Int64 = 10_000
    /// Milliseconds between two uploads in normal operation, at most four minutes (DAT-9).
    package var sendEvery: Int64 = 60_000
    /// The number of samples after which the phone ends; nil for no end.
    package var count: Int?
    /// Milliseconds from a warning until the person aborts; nil to abort only on input.
    package var abortAfter: Int64?
    /// The person's age until the server has reported it.
    package var age = Age.eighteen
    /// The person's position; nil if it is not reported.
    package var position: GeoPoint?

    /// One sample every ten seconds and one upload a minute, without end.
    package init() {}
  }

  /// Milliseconds between two samples during a warning: three per second (SOS-3).
  static let alertedEvery: Int64 = 333
  /// How long the account's settings are used before they are requested again.
  static let settingsEvery: Int64 = 60_000

  let plan: Plan
  var detector: Detector
  var alerts = PhoneAlerts()
  /// The unsent samples, oldest first.
  package private(set) var unsent: UnsentSamples
  private(set) var settings: PhoneSettings
  private var source: VitalSigns
  private var nextSampleAt: Instant
  private var lastSampleAt: Instant?
  private var sendDueAt: Instant
  private var settingsDueAt: Instant
  private var sampled = 0
  /// How many of the oldest samples are being uploaded.
  private var underWay: Int?
  private var isOffline = false
  private var hasEnded = false

  /// A phone that starts now, with the samples that were unsent at its last stop.
  package init(
    _ plan: Plan, _ source: VitalSigns, unsent: UnsentSamples = UnsentSamples(),
    at now: Instant
  ) {
    self.plan = plan
    self.source = source
    self.unsent = unsent
    settings = PhoneSettings(age: plan.age)
    detector = Detector(thresholds: Thresholds(age: plan.age), startingAt: now.moment)
    (nextSampleAt, sendDueAt, settingsDueAt) = (now, now, now)
  }

  /// Whether a warning is active.
  package var isAlerted: Bool { alerts.isAlerted }

  /// Whether to sample and send at the highest rate: a warning is active, or a first reading
  /// without a pulse awaits confirmation by a second one.
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
  /// Executes the steps that are due.
  package mutating func advance(to now: Instant) -> [Action] {
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

  /// The next time at which `advance(to:)` has something to do, without other events.
  package var nextDeadline: Instant {
    var moments = [settingsDueAt]
    if settings.isEnabled { moments += [detector.nextDeadline?.instant].compactMap(\.self) }
    if isMeasuring { moments.append(sampleDueAt) }
    if !unsent.signs.isEmpty, underWay == nil { moments.append(sendDueAt) }
    moments += [alerts.nextDeadline].compactMap(\.self)
    return moments.min() ?? settingsDueAt
  }

  private var sampleDueAt: Instant {
    let regular = min(nextSampleAt, source.nextConclusion ?? nextSampleAt)
    guard isUrgent, let lastSampleAt else { return regular }
    return min(regular, lastSampleAt.adding(milliseconds: Self.alertedEvery))
  }
}

// MARK: Measuring

extension SimulatedPhone {
  private mutating func sample(_ now: Instant, _ actions: inout [Action]) {
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
    // A slightly late turn does not delay the next one.
    let next = regular.adding(milliseconds: every)
    nextSampleAt = next > now ? next : now.adding(milliseconds: every)
    if isUrgent { sendDueAt = min(sendDueAt, now) }
  }

  private mutating func judge(
    _ signs: [VitalSign], _ now: Instant, _ actions: inout [Action]
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
  private mutating func upload(_ now: Instant, _ actions: inout [Action]) {
    guard underWay == nil, !unsent.signs.isEmpty, sendDueAt <= now || (!isMeasuring && !isOffline)
    else { return }
    let batch = Array(unsent.batch)
    underWay = batch.count
    actions.append(.upload(batch))
  }

  /// Handles an accepted upload.
  package mutating func wasStored(at now: Instant) -> [Action] {
    let count = underWay ?? 0
    underWay = nil
    isOffline = false
    unsent.removeOldest(count)
    // The rest of a large backlog is sent at once, as are new samples during a warning.
    let hasMore = !unsent.signs.isEmpty && (count == UnsentSamples.batchMax || isUrgent)
    sendDueAt = hasMore ? now : now.adding(milliseconds: plan.sendEvery)
    return [.rewrite, .say("sent \(count)")] + advance(to: now)
  }

  /// Handles an upload that failed or was not accepted: it is repeated with the next sample.
  package mutating func wasNotReached(at now: Instant) -> [Action] {
    underWay = nil
    let every = isAlerted ? Self.alertedEvery : plan.sampleEvery
    sendDueAt = now.adding(milliseconds: every)
    defer { isOffline = true }
    guard !isOffline else { return [] }
    return [.say("the gateway is unreachable: \(unsent.signs.count) samples wait")]
  }

  /// Applies the monitoring settings.
  package mutating func took(_ answer: PhoneSettings, at now: Instant) -> [Action] {
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
      return [.say("AutomatedSOS is switched off: readings are not evaluated")] + alerts.forget()
    }
    let bounds = Threshold.allCases.compactMap { threshold in
      detector.thresholds[threshold].map { "\(threshold.rawValue) \(Int($0))" }
    }
    return [.say("evaluating with the account's thresholds: \(bounds.joined(separator: ", "))")]
  }
}
