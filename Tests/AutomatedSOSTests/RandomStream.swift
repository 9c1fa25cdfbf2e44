import AutomatedSOS
import Support

/// Random readings and calls near every limit, passed to the detector and to the model.
struct RandomStream {
  static let people = [
    DetectorModel.Person(
      months: 480, low: 45, high: 120, exerciseHigh: 180, hasPressureRules: true),
    DetectorModel.Person(
      months: 1500, low: 45, high: 120, exerciseHigh: 120, hasPressureRules: true),
    DetectorModel.Person(
      months: 4, low: 104, high: 175, exerciseHigh: 220, hasPressureRules: false),
    DetectorModel.Person(
      months: 200, low: 43, high: 104, exerciseHigh: 204, hasPressureRules: false),
  ]

  var detector: Detector
  var model: DetectorModel
  var random: SeededRandom
  var now: Int64 = 1_790_000_000_000
  private var readings: [Reading] = []
  private var emergencies: [Emergency] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let person = Self.people.any(&random)
    let (confirm, abort, pulse) =
      [(3, 5, 20), (3, 5, 20), (1, 60, 5), (60, 1, 60), (10, 10, 8)].any(&random)
    detector = Detector(
      thresholds: Thresholds(age: Age(months: person.months)!),
      timing: Timing(confirmSeconds: confirm, abortSeconds: abort, pulseAbortSeconds: pulse)!,
      startingAt: Moment(milliseconds: now))
    model = DetectorModel(
      person: person, confirmSeconds: confirm, abortSeconds: abort, pulseAbortSeconds: pulse,
      start: now)
  }

  /// The decisions of both in a step.
  struct Step {
    var what: String
    var verdicts: (Verdict, Verdict)?
    var decisions: ([Decision], [Decision])
  }

  mutating func step() -> [Step] {
    now += [0, 0, 1, 100, 333, 1000, 2999, 3000, 5000, 9_999, 10_000, 29_999, 30_000, 59_000].any(
      &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0: now += [300_000, 599_999, 600_000, 1_200_000].any(&random)
    case 1..<4: return [pause()]
    case 4..<7: return [exercise()]
    case 7..<12: return emergencies.isEmpty ? [] : [end()]
    case 12..<22: return [advance()]
    case 22..<24: return burst()
    case 24..<30: return readings.isEmpty ? [] : [take(readings.suffix(20).any(&random))]
    default: break
    }
    let age: Int64 = [
      0, 0, 0, 0, 1, 500, 3000, 59_999, 60_000, 60_001, 600_000, -1, -1000, -300_000, -300_001,
    ]
    .any(&random)
    let time = Moment(milliseconds: now - age)
    let source: Int32 = [0, 0, 0, 0, 1, 2].any(&random)
    let isOnBody: Bool? = [nil, nil, nil, nil, nil, true, false].any(&random)
    let isLast = Int.random(in: 0..<20, using: &random) == 0
    return [
      take(
        Reading(measurement(), at: time, from: source, isOnBody: isOnBody, isLast: isLast))
    ]
  }

  private mutating func take(_ reading: Reading) -> Step {
    readings.append(reading)
    let judgement = detector.take(reading, at: Moment(milliseconds: now))
    let (verdict, decisions) = model.take(reading, now)
    emergencies += judgement.decisions.compactMap { decision in
      if case .suspected(let emergency) = decision { emergency } else { nil }
    }
    return Step(
      what: "\(reading) at \(now)", verdicts: (judgement.verdict, verdict),
      decisions: (judgement.decisions, decisions))
  }

  /// Repeats a value about as often as a stuck sensor does.
  private mutating func burst() -> [Step] {
    let measurement = measurement()
    return (0..<Int.random(in: 56...63, using: &random)).map { _ in
      now += [1, 10, 333].any(&random)
      return take(Reading(measurement, at: Moment(milliseconds: now)))
    }
  }

  private mutating func advance() -> Step {
    if Bool.random(using: &random), let due = detector.nextDeadline {
      now = max(now, due.milliseconds + [-1, 0, 1].any(&random))
    }
    return Step(
      what: "advance to \(now)",
      decisions: (detector.advance(to: Moment(milliseconds: now)), model.advance(now)))
  }

  private mutating func pause() -> Step {
    let end = now + [-1000, 0, 5000, 60_000, 1_200_000].any(&random)
    detector.pause(until: Moment(milliseconds: end))
    model.pause(until: end)
    return advance()
  }

  private mutating func exercise() -> Step {
    let end = now + [-1000, 0, 5000, 600_000].any(&random)
    detector.exercise(until: Moment(milliseconds: end))
    model.exercise(until: end)
    return advance()
  }

  private mutating func end() -> Step {
    let emergency = emergencies.suffix(3).any(&random)
    let moment = Moment(milliseconds: now)
    return Bool.random(using: &random)
      ? Step(
        what: "abort \(emergency) at \(now)",
        decisions: (detector.abort(emergency, at: moment), model.abort(emergency, now)))
      : Step(
        what: "close \(emergency) at \(now)",
        decisions: (detector.close(emergency, at: moment), model.close(emergency, now)))
  }

  private mutating func measurement() -> Measurement {
    let low = model.person.low
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11:
      let rates = [
        0, 0, 0, 19.5, 20, 75, low - 0.5, low, model.person.high, model.person.high + 0.5,
        model.person.high + 1, model.person.high + 1, model.person.exerciseHigh,
        model.person.exerciseHigh + 0.5, 250, 250.5, .nan,
      ]
      return .heartRate(rates.any(&random))
    case 11..<14:
      return .bloodPressure(
        systolic: [90, 90.5, 100, 100.5, 120, 170, 170.5, 301].any(&random),
        diastolic: [19, 60, 90, 100, 100.5].any(&random))
    case 14: return .systolicPressure([39, 90, 90.5, 120, 170, 170.5].any(&random))
    case 15: return .diastolicPressure([60, 100, 100.5, 201].any(&random))
    case 16: return .fall
    case 17: return .shaking
    case 18 where Bool.random(using: &random): return .steps([-1, 0, 1, 100_001].any(&random))
    case 18: return .speed([-1, 0, 1.33, 1.34, 12.5, 12.51, 101].any(&random))
    default: return .exercise
    }
  }
}

extension Array {
  /// One of the elements.
  fileprivate func any(_ random: inout SeededRandom) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}
