import Domain

/// What the sensors of a simulated phone say: generated after a profile, or recorded.
package struct VitalSigns {
  /// How the body of the simulated person behaves.
  package enum Profile: String, CaseIterable, Sendable {
    /// A heart at rest.
    case rest
    /// A run: the heart rate of exercise, at a speed that says so.
    case exercise
    /// At rest, but for half a minute from the tenth second on, in which the heart races.
    case tachycardia
    /// At rest, and a fall in the tenth second.
    case fall
    /// At rest, and no pulse from the tenth second on.
    case cardiacArrest = "cardiac-arrest"
  }

  private enum Origin {
    case generated(Profile)
    case recorded([RecordedSign])
  }

  private let origin: Origin
  private let start: Timestamp
  private var chance = DemoChance()
  /// How many entries of the recording were taken.
  private var taken = 0
  /// Milliseconds after the beginning at which something is concluded, the next one last.
  private var conclusions: [Int64]

  /// Begins a profile.
  package init(_ profile: Profile, from start: Timestamp) {
    (origin, self.start) = (.generated(profile), start)
    conclusions = profile == .fall ? [Self.fallAfter] : []
  }

  /// Begins a recording: its first entry is of now.
  package init(_ recorded: [RecordedSign], from start: Timestamp) {
    (origin, self.start) = (.recorded(recorded), start)
    conclusions = recorded.filter(\.isConclusion).map(\.milliseconds).reversed()
  }

  private static let fallAfter: Int64 = 10_000
  private static let stoppedAfter: Int64 = 10_000
  private static let racing: Range<Int64> = 10_000..<40_000
  /// Metres a second of somebody who runs.
  private static let running = 2.8

  /// What was measured since the last time: the newest value of each type, and every conclusion.
  package mutating func take(upTo now: Timestamp) -> [VitalSign] {
    let hasConcluded = nextConclusion.map { $0 <= now } ?? false
    while let next = nextConclusion, next <= now { conclusions.removeLast() }
    return switch origin {
    case .generated(let profile): generated(profile, hasFallen: hasConcluded, at: now)
    case .recorded(let entries): recorded(entries, upTo: now)
    }
  }

  /// When something is concluded that no phone leaves for its next turn; nil for nothing.
  package var nextConclusion: Timestamp? {
    conclusions.last.map { start.adding(milliseconds: $0) }
  }

  /// Whether nothing comes any more.
  package var isOver: Bool {
    if case .recorded(let entries) = origin { taken == entries.count } else { false }
  }

  private mutating func generated(
    _ profile: Profile, hasFallen: Bool, at now: Timestamp
  ) -> [VitalSign] {
    let elapsed = now.millisecondsSince1970 - start.millisecondsSince1970
    let isRacing = profile == .tachycardia && Self.racing.contains(elapsed)
    // A heart that warms up in two minutes.
    let warmth = profile == .exercise ? 73 * Double(min(max(elapsed, 0), 120_000)) / 120_000 : 0
    let hasStopped = profile == .cardiacArrest && elapsed >= Self.stoppedAfter
    let rate = hasStopped ? 0 : (isRacing ? 150 : 72 + warmth) + chance.next(9)
    var signs = [VitalSign(.heartRate, rate.rounded(), at: now)]
    if profile == .exercise { signs.append(VitalSign(.speed, Self.running, at: now)) }
    if hasFallen { signs.append(VitalSign(.fall, .code(0), at: now)) }
    return signs
  }

  private mutating func recorded(_ entries: [RecordedSign], upTo now: Timestamp) -> [VitalSign] {
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
