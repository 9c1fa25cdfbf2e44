import AutomatedSOS

// Properties of the detector for any input of a device: its decisions form a valid sequence, and
// the same input produces the same decisions.

/// The time steps encoded by the bytes of an input, in milliseconds.
private let steps: [Int64] = [
  0, 1, 100, 333, 1000, 2900, 3000, 4900, 5000, 5100, 29_999, 30_000, 60_000, 60_001, 599_999,
  600_000,
]

/// Decodes bytes into a person's readings and actions: first the age, then four bytes per call for
/// the kind, the value, the delay, and the age of the reading.
package func fuzzDetector(_ bytes: [UInt8]) {
  guard let months = bytes.first, let age = Age(months: Int(months) * 6) else { return }
  let start = Moment(milliseconds: 1_790_000_000_000)
  var story = DetectorStory(Detector(thresholds: Thresholds(age: age), startingAt: start), start)
  for place in stride(from: 1, through: bytes.count - 4, by: 4) {
    story.go(bytes[place], Double(bytes[place + 1]), Int(bytes[place + 2]), Int(bytes[place + 3]))
  }
}

/// Two identical detectors and the decisions so far.
private struct DetectorStory {
  private var detector: Detector
  private var twin: Detector
  private var now: Moment
  private var latest: [Rule: Emergency] = [:]
  private var confirmed: Set<Emergency> = []
  private var dispatched: Set<Emergency> = []
  private var over: Set<Emergency> = []

  init(_ detector: Detector, _ now: Moment) {
    (self.detector, twin, self.now) = (detector, detector, now)
  }

  mutating func go(_ what: UInt8, _ value: Double, _ later: Int, _ older: Int) {
    let milliseconds = now.milliseconds + steps[later % steps.count]
    now = Moment(milliseconds: milliseconds)
    let age = (older < 128 ? 1 : -1) * steps[older % steps.count]
    let time = Moment(milliseconds: milliseconds - age)
    switch what % 12 {
    case 0, 1, 2:
      let isOnBody = what < 48 ? nil : what < 144
      take(
        .heartRate(value == 255 ? .nan : value), time, from: Int32(what % 3), isOnBody: isOnBody)
    case 3: take(.bloodPressure(systolic: value, diastolic: 60 + Double(older) / 2), time)
    case 4: take(.systolicPressure(value), time)
    case 5: take(.diastolicPressure(value), time)
    case 6: take(.fall, time)
    case 7: take(.shaking, time)
    case 8: take(value < 100 ? .speed(value / 8) : value < 128 ? .steps(1) : .exercise, time)
    case 9: call { detector, now in detector.advance(to: now) }
    case 10:
      call { detector, now in
        if value < 128 { detector.pause(until: time) } else { detector.exercise(until: time) }
        return detector.advance(to: now)
      }
    default: end(value)
    }
    let next = detector.nextDeadline
    precondition(next.map { $0 > now } ?? true, "something was due and not done")
  }

  private mutating func take(
    _ measurement: Measurement, _ time: Moment, from source: Int32 = 0, isOnBody: Bool? = nil
  ) {
    let isLast = time.milliseconds % 8 == 1
    let reading = Reading(measurement, at: time, from: source, isOnBody: isOnBody, isLast: isLast)
    call { detector, now in detector.take(reading, at: now).decisions }
    let before = detector
    let again = detector.take(reading, at: now)
    precondition(again.decisions.isEmpty && detector == before, "a doubled reading counted twice")
  }

  private mutating func end(_ value: Double) {
    let rule = Rule.allCases[Int(value) % Rule.allCases.count]
    let emergency = latest[rule]
    call { detector, now in
      guard let emergency else { return detector.advance(to: now) }
      return value < 128 ? detector.abort(emergency, at: now) : detector.close(emergency, at: now)
    }
  }

  /// Makes the same call to both detectors, which must produce the same result.
  private mutating func call(_ body: (inout Detector, Moment) -> [Decision]) {
    let decisions = body(&detector, now)
    precondition(body(&twin, now) == decisions && detector == twin, "a detector is not repeatable")
    for decision in decisions { check(decision) }
  }

  private mutating func check(_ decision: Decision) {
    switch decision {
    case .suspected(let emergency):
      precondition(latest[emergency.rule].map(isOver) ?? true, "two emergencies of one rule")
      precondition(emergency.suspectedAt == now && emergency.firstCritical <= now)
      latest[emergency.rule] = emergency
      // Withdrawn and raised again by readings of the same time, it has the same name.
      over.remove(emergency)
    case .asked(let emergency, let answerBy):
      precondition(latest[emergency.rule] == emergency && !confirmed.contains(emergency))
      precondition(!isOver(emergency) && answerBy > now)
    case .confirmed(let emergency):
      precondition(latest[emergency.rule] == emergency && !isOver(emergency))
      precondition(confirmed.insert(emergency).inserted, "an emergency was confirmed twice")
    case .withdrawn(let emergency):
      precondition(!dispatched.contains(emergency), "a dispatched emergency was withdrawn")
      precondition(
        emergency.rule == .lossOfPulse || !confirmed.contains(emergency),
        "a confirmed emergency was withdrawn")
      confirmed.remove(emergency)
      precondition(over.insert(emergency).inserted)
    case .aborted(let emergency):
      precondition(!dispatched.contains(emergency) && over.insert(emergency).inserted)
    case .dispatched(let emergency):
      precondition(confirmed.contains(emergency) && !over.contains(emergency))
      precondition(emergency.abortUntil <= now, "a call went out inside the window")
      precondition(dispatched.insert(emergency).inserted, "an emergency was dispatched twice")
    case .silent(let since):
      precondition(now.milliseconds - since.milliseconds >= 600_000)
    }
  }

  private func isOver(_ emergency: Emergency) -> Bool {
    over.contains(emergency) || dispatched.contains(emergency)
  }
}
