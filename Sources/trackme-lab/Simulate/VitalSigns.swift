import Domain
import Time

/// The sensors of a simulated phone: generated from a profile, or recorded.
package struct VitalSigns {
  /// The physical state of the simulated person.
  package enum Profile: String, CaseIterable, Sendable {
    /// A heart at rest.
    case rest
    /// A run: the heart rate of exercise with a matching speed.
    case exercise
    /// At rest, except for thirty seconds of tachycardia from the tenth second on.
    case tachycardia
    /// At rest, with a fall in the tenth second.
    case fall
    /// At rest, without a pulse from the tenth second on.
    case cardiacArrest = "cardiac-arrest"
  }

  private enum Origin {
    case generated(Profile)
    case recorded([RecordedSign])
  }

  private let origin: Origin
  private let start: Instant
  private var random = DemoRandom()
  /// The number of recorded entries already returned.
  private var taken = 0
  /// The times of detected events, in milliseconds after the start, in descending order.
  private var conclusions: [Int64]

  /// Starts a profile.
  package init(_ profile: Profile, from start: Instant) {
    (origin, self.start) = (.generated(profile), start)
    conclusions = profile == .fall ? [Self.fallAfter] : []
  }

  /// Starts a recording, whose first entry is set to the current time.
  package init(_ recorded: [RecordedSign], from start: Instant) {
    (origin, self.start) = (.recorded(recorded), start)
    conclusions = recorded.filter(\.isConclusion).map(\.milliseconds).reversed()
  }

  private static let fallAfter: Int64 = 10_000
  private static let stoppedAfter: Int64 = 10_000
  private static let racing: Range<Int64> = 10_000..<40_000
  /// A runner's speed in metres per second.
  private static let running = 2.8

  /// The measurements since the last call: the newest value of each type, and every detected event.
  package mutating func take(upTo now: Instant) -> [VitalSign] {
    let hasConcluded = nextConclusion.map { $0 <= now } ?? false
    while let next = nextConclusion, next <= now { conclusions.removeLast() }
    return switch origin {
    case .generated(let profile): generated(profile, hasFallen: hasConcluded, at: now)
    case .recorded(let entries): recorded(entries, upTo: now)
    }
  }

  /// The time of the next detected event, which a phone handles at once; nil for none.
  package var nextConclusion: Instant? {
    conclusions.last.map { start.adding(milliseconds: $0) }
  }

  /// Whether no further values follow.
  package var isOver: Bool {
    if case .recorded(let entries) = origin { taken == entries.count } else { false }
  }

  private mutating func generated(
    _ profile: Profile, hasFallen: Bool, at now: Instant
  ) -> [VitalSign] {
    let elapsed = now.millisecondsSince1970 - start.millisecondsSince1970
    let isRacing = profile == .tachycardia && Self.racing.contains(elapsed)
    // The heart rate rises for two minutes.
    let warmth = profile == .exercise ? 73 * Double(min(max(elapsed, 0), 120_000)) / 120_000 : 0
    let hasStopped = profile == .cardiacArrest && elapsed >= Self.stoppedAfter
    let rate = hasStopped ? 0 : (isRacing ? 150 : 72 + warmth) + random.next(9)
    var signs = [VitalSign(.heartRate, rate.rounded(), at: now)]
    if profile == .exercise { signs.append(VitalSign(.speed, Self.running, at: now)) }
    if hasFallen { signs.append(VitalSign(.fall, .code(0), at: now)) }
    return signs
  }

  private mutating func recorded(_ entries: [RecordedSign], upTo now: Instant) -> [VitalSign] {
    let elapsed = now.millisecondsSince1970 - start.millisecondsSince1970
    var newest: [DataType: VitalSign] = [:]
    var signs: [VitalSign] = []
    while taken < entries.count, entries[taken].milliseconds <= elapsed {
      let entry = entries[taken]
      let time = start.adding(milliseconds: entry.milliseconds)
      let sign = VitalSign(entry.type, entry.value, at: time)
      if entry.isConclusion { signs.append(sign) } else { newest[entry.type] = sign }
      taken += 1
    }
    return (signs + newest.values).sorted {
      ($0.time, $0.type.rawValue) < ($1.time, $1.type.rawValue)
    }
  }
}
