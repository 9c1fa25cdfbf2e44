import Domain
import Runs
import Time

/// A runner of a followed run, with the progress from all data shared so far.
struct LiveEntrant: Sendable {
  /// The runner's identity in the run and choices.
  struct Entry: Hashable, Sendable {
    let number: Int32
    let account: AccountID
    /// The public name of the runner: the chosen name, or the number.
    let name: String
    let showsHealth: Bool
    let isFindable: Bool
    /// Whether spectators can find the runner by the real name as well.
    let isFindableByName: Bool
    let isPaused: Bool
    let dataRevision: Int32
    /// Whether the runner left after the finish: the result is shown, position and health are
    /// hidden.
    let hasLeft: Bool
  }

  private(set) var entry: Entry
  private(set) var health = RunnerHealth()
  private var trail = RunnerTrail()
  /// The sequence number up to which all data is counted.
  private var upTo: Int64 = 0
  /// The number of counted samples.
  private var counted = 0

  /// A runner without data.
  init(_ entry: Entry) { self.entry = entry }

  /// Creates a runner from all stored samples, in any order.
  init(_ entry: Entry, having samples: [Sample], upTo: Int64, on timed: TimedCourse) {
    self.entry = entry
    self.upTo = upTo
    counted = samples.count
    trail = RunnerTrail(of: samples.compactMap(\.fix), on: timed)
    for sample in samples { addHealth(sample, on: timed) }
  }

  /// The progress computed from the fixes.
  var progress: RunnerProgress { trail.progress }

  /// The lost signal of a runner on the course after two minutes without a position.
  func lostSignal(in runID: Int64, during times: RunTimes, at now: Instant) -> LostSignal? {
    let state = RunnerState(isCheckedIn: true, progress: progress, during: times, now: now)
    guard state == .signalLost, let latest = progress.latest else { return nil }
    return LostSignal(runID: runID, number: entry.number, since: latest.time, upTo: upTo)
  }

  /// Whether the counted data remains valid with another entry in place of this one.
  func carries(over next: Entry) -> Bool {
    entry.account == next.account && entry.dataRevision == next.dataRevision
  }

  /// Continues with changed choices of the runner.
  mutating func replace(_ next: Entry) { entry = next }

  /// Whether the row with this number has not been counted yet.
  func lacks(_ streamSeq: Int64) -> Bool { streamSeq > upTo }

  /// Counts the samples of a row; `tooOld` requires all data of the runner to be reloaded.
  mutating func take(
    _ samples: [Sample], upTo streamSeq: Int64, on timed: TimedCourse
  ) -> RunnerTrail.Taken {
    guard lacks(streamSeq) else { return .counted }
    let samples = samples.prefix(max(0, CheckInSamples.countedMax - counted))
    guard trail.take(samples.compactMap(\.fix), on: timed) == .counted else { return .tooOld }
    upTo = streamSeq
    counted += samples.count
    for sample in samples { addHealth(sample, on: timed) }
    return .counted
  }

  private mutating func addHealth(_ sample: Sample, on timed: TimedCourse) {
    guard sample.type != .position else { return }
    health.add(
      StoredSample(time: sample.time, device: 0, sequence: 0, value: sample.value),
      of: sample.type, during: timed.times)
  }
}
