import AutomatedSOS
import Testing

/// A monitored person; the clock is in seconds since the beginning of the test.
struct Patient {
  var detector: Detector

  /// An adult, unless another age is given.
  init(
    months: Int = 40 * 12, personal: PersonalThresholds = PersonalThresholds(),
    timing: Timing = Timing()
  ) throws {
    detector = Detector(
      thresholds: try Thresholds(age: Age(months: months)!, personal: personal), timing: timing,
      startingAt: Self.moment(0))
  }

  static func moment(_ seconds: Double) -> Moment {
    Moment(milliseconds: 1_790_000_000_000 + Int64((seconds * 1000).rounded()))
  }

  /// Judges a reading that arrives when it is measured, or at another time.
  @discardableResult
  mutating func take(
    _ measurement: Measurement, at seconds: Double, received: Double? = nil
  ) -> Judgement {
    detector.take(
      Reading(measurement, at: Self.moment(seconds)), at: Self.moment(received ?? seconds))
  }

  mutating func advance(to seconds: Double) -> [Decision] {
    detector.advance(to: Self.moment(seconds))
  }

  /// The emergency raised by a reading.
  mutating func suspected(by measurement: Measurement, at seconds: Double) throws -> Emergency {
    let decision = take(measurement, at: seconds).decisions.first
    return try #require(decision?.name == "suspected" ? decision?.emergency : nil)
  }

  /// The decisions at the detector's own deadlines up to a time, with their seconds.
  mutating func timeline(until end: Double) -> [String] {
    var lines: [String] = []
    while let due = detector.nextDeadline, due <= Self.moment(end) {
      let seconds = Double(due.milliseconds - Self.moment(0).milliseconds) / 1000
      lines += detector.advance(to: due).map { "\(seconds) \($0.name)" }
    }
    return lines
  }
}

extension Decision {
  var name: String {
    switch self {
    case .suspected: "suspected"
    case .asked: "asked"
    case .withdrawn: "withdrawn"
    case .confirmed: "confirmed"
    case .aborted: "aborted"
    case .dispatched: "dispatched"
    case .silent: "silent"
    }
  }

  var emergency: Emergency? {
    switch self {
    case .suspected(let emergency), .asked(let emergency, _), .withdrawn(let emergency),
      .confirmed(let emergency), .aborted(let emergency), .dispatched(let emergency):
      emergency
    case .silent: nil
    }
  }
}

extension Judgement {
  var names: [String] { decisions.map(\.name) }
}
