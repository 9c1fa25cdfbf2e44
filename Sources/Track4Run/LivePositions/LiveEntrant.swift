import Domain

/// A runner of a followed run with everything that was shared so far.
struct LiveEntrant: Sendable {
  /// Who it is and what the runner chose.
  struct Entry: Hashable, Sendable {
    let number: Int32
    let account: AccountID
    /// What everybody may call the runner: the chosen name, or the number.
    let name: String
    let showsHealth: Bool
    let isFindable: Bool
    /// Whether the runner can be found by the real name as well.
    let isFindableByName: Bool
    let isPaused: Bool
    let dataRevision: Int32
    /// Whether the runner left after the finish: the result is shown, position and health are not.
    let hasLeft: Bool
  }

  private(set) var entry: Entry
  private(set) var health = RunnerHealth()
  private var trail = RunnerTrail()
  /// The number of the sequence up to which everything is counted.
  private var upTo: Int64 = 0
  /// How many samples are.
  private var counted = 0

  /// A runner without data.
  init(_ entry: Entry) { self.entry = entry }

  /// A runner with everything that is stored of them, in any order.
  init(_ entry: Entry, having samples: [Sample], upTo: Int64, on timed: TimedCourse) {
    self.entry = entry
    self.upTo = upTo
    counted = samples.count
    trail = RunnerTrail(of: samples.compactMap(\.fix), on: timed)
    for sample in samples { addHealth(sample, on: timed) }
  }

  /// What the fixes come to.
  var progress: RunnerProgress { trail.progress }

  /// The silence of a runner who is on the way and has sent no position for two minutes.
  func lostSignal(in runID: Int64, during times: RunTimes, at now: Timestamp) -> LostSignal? {
    let state = RunnerState(isCheckedIn: true, progress: progress, during: times, now: now)
    guard state == .signalLost, let latest = progress.latest else { return nil }
    return LostSignal(runID: runID, number: entry.number, since: latest.time, upTo: upTo)
  }

  /// Whether what was counted is still right with another entry in the place of this one.
  func carries(over next: Entry) -> Bool {
    entry.account == next.account && entry.dataRevision == next.dataRevision
  }

  /// Continues with another choice of the runner.
  mutating func replace(_ next: Entry) { entry = next }

  /// Whether what is stored under this number has still to be counted.
  func lacks(_ streamSeq: Int64) -> Bool { streamSeq > upTo }

  /// Counts what came under a number, as far as it counts; `tooOld` asks for everything to be read
  /// again.
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

extension Sample {
  /// Where the device was; nil of any other type.
  var fix: Fix? {
    guard case .position(let position) = value else { return nil }
    return Fix(time: time, position: position)
  }
}
