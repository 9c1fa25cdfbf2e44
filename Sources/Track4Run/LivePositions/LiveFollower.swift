import Domain
import EventLoop
import HTTP
import Operations
import Services

/// Follows current and requested runs, and publishes them on the boards of all loops: one per
/// process, on its first loop.
///
/// Ten times a second it reads rows stored after its position in the sequence; once a second it
/// checks whether a run itself has changed. It keeps no state outside memory: a process that starts
/// reads the stored data and computes the same result.
///
/// Large work is split: each turn reads one of the requested runs, and one page of the data that
/// runners have shared, current runs first. So neither requests nor late data of a runner delay
/// current runs.
final class LiveFollower {
  /// The interval at which stored data is polled while a run is active.
  static let pause = Duration.milliseconds(100)
  /// The pause while no run is active, and after a failure.
  static let longPause = Duration.milliseconds(500)
  /// The shortest interval between two frames of a run, and between checks for changes.
  static let pictureEvery = Duration.seconds(1)
  /// How long a run is followed after its end without requests, in seconds.
  static let followedAfterEnd: Int64 = 900
  /// How long before its start a run is read, in seconds.
  static let followedBeforeStart: Int64 = 60
  /// The largest number of runs that are followed only because of requests.
  static let askedMax = 64
  /// The largest number of rows read at once.
  static let rowsMax: Int64 = 500

  /// The outcome of a request for a run.
  enum Found: Sendable {
    case frame(LiveFrame)
    /// No such run is listed.
    case unknown
    /// The stored run is unreadable.
    case unreadable
    /// The database is unreachable, there are too many requests, or the process is stopping.
    case unavailable
  }

  private let surroundings: LiveSurroundings
  private let boards: [LoopBound<LiveBoard>]
  private let loop: EventLoop
  private let metrics: LiveMetrics
  private let log: Log
  private let audiences: LiveAudiences
  private var runs: [Int64: LiveRun] = [:]
  private var after: Int64?
  private var questions = LiveQuestions<CheckedContinuation<Found, Never>>()
  /// Requested runs that are listed and have to be read.
  private var asked: [StampedRun] = []
  /// The stamps of unreadable runs, so that each is read only once.
  private var unreadable: [Int64: String] = [:]
  private var refreshedAt: MonotonicInstant?
  private var audiencesAt: MonotonicInstant?
  private var work: RepeatingWork?
  private var isStopped = false

  init(
    _ surroundings: LiveSurroundings, boards: [LoopBound<LiveBoard>], metrics: LiveMetrics
  ) {
    self.surroundings = surroundings
    self.boards = boards
    self.metrics = metrics
    log = surroundings.log
    loop = surroundings.loop
    audiences = LiveAudiences(surroundings)
  }

  /// Starts.
  func start() {
    let bound = LoopBound(self, on: loop)
    let begun = RepeatingWork(on: loop) { await bound.value.turn() }
    work = begun
    begun.start()
  }

  /// Stops after the current turn, and deletes this process's spectator counts.
  func stop() async {
    isStopped = true
    await work?.stop()
    tell(questions.answerAll(), .unavailable)
    do throws(ApplicationError) { try await audiences.forget() } catch {
      log.failure("delete spectator counts failed", error, level: .warning)
    }
  }

  /// Resumes the continuation as soon as the run is read.
  func find(_ runID: Int64, _ continuation: CheckedContinuation<Found, Never>) {
    guard !isStopped, work != nil else { return continuation.resume(returning: .unavailable) }
    if let run = runs[runID] {
      run.audience.ask(at: loop.now)
      if let frame = run.frame { return continuation.resume(returning: .frame(frame)) }
    }
    switch questions.ask(for: runID, continuation, at: loop.now) {
    case .waits: work?.wake()
    case .unknown: continuation.resume(returning: .unknown)
    case .tooMany: continuation.resume(returning: .unavailable)
    }
  }

  private func tell(_ askers: [CheckedContinuation<Found, Never>], _ found: Found) {
    for continuation in askers { continuation.resume(returning: found) }
  }

  // MARK: A turn

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      if after == nil { after = try await surroundings.database.row(LastRunData()) }
      if isDue(refreshedAt, Self.pictureEvery) { try await refresh() }
      try await lookUpAsked()
      try await follow()
      try await readOn()
      try await exchangeAudiences()
      show()
      answer()
      return rest
    } catch {
      log.failure("update followed runs failed", error, level: .warning)
      tell(questions.answerAll(), .unavailable)
      asked = []
      return Self.longPause
    }
  }

  /// The pause until the next turn.
  private var rest: Duration {
    if !asked.isEmpty || runs.values.contains(where: { $0.isToBeRead(at: loop.now) }) {
      return .zero
    }
    let now = surroundings.world.now().timestamp
    return runs.values.contains { $0.times.hasBegun(at: now) } ? Self.pause : Self.longPause
  }

  private func isDue(_ last: MonotonicInstant?, _ every: Duration) -> Bool {
    last.map { loop.now - $0 >= every } ?? true
  }

  // MARK: Choosing runs

  /// Lists the runs to follow, and rereads those that changed.
  private func refresh() async throws(ApplicationError) {
    refreshedAt = loop.now
    let now = surroundings.world.now().timestamp
    let kept = Array(keptForInterest(now: now))
    let rows = try await surroundings.database.rows(
      FollowedRuns(
        endedAfter: WallTime(now.adding(seconds: -Self.followedAfterEnd)),
        startedBy: WallTime(now.adding(seconds: Self.followedBeforeStart)), kept: kept))
    let listed = Set(rows.map(\.runID))
    for (runID, run) in runs where !listed.contains(runID) {
      forget(runID, kept.contains(runID) || isOn(run, now: now) ? .over : .stopping)
    }
    for row in rows where runs[row.runID]?.stamp != row.stamp { try await read(row) }
    metrics.followed.set(Int64(runs.count))
  }

  /// Whether a run is followed without requests.
  private func isOn(_ run: LiveRun, now: Timestamp) -> Bool {
    run.times.startsAt <= now.adding(seconds: Self.followedBeforeStart)
      && run.times.endsAt > now.adding(seconds: -Self.followedAfterEnd)
  }

  /// The runs followed only because of requests: the most recently requested ones.
  private func keptForInterest(now: Timestamp) -> some Sequence<Int64> {
    let interesting = runs.filter {
      !isOn($0.value, now: now) && $0.value.audience.isInterested(at: loop.now)
    }
    return interesting.sorted {
      ($0.value.audience.streams, $0.value.audience.lastAsked)
        > ($1.value.audience.streams, $1.value.audience.lastAsked)
    }.prefix(Self.askedMax).map(\.key)
  }

  private func forget(_ runID: Int64, _ end: SpectatorStream.End) {
    runs[runID] = nil
    for board in boards { board.loop.execute { board.value.remove(runID, end) } }
  }

  /// Looks up the requested numbers, and reads one of the runs.
  private func lookUpAsked() async throws(ApplicationError) {
    let new = questions.runIDs.filter { runID in
      runs[runID] == nil && !asked.contains { $0.runID == runID }
    }
    if !new.isEmpty {
      let rows = try await surroundings.database.rows(AskedRuns(asked: new))
      let listed = Set(rows.map(\.runID))
      for runID in new where !listed.contains(runID) {
        tell(questions.answerUnknown(runID, at: loop.now), .unknown)
      }
      asked += rows
    }
    guard !asked.isEmpty else { return }
    let next = asked.removeFirst()
    if runs[next.runID]?.stamp != next.stamp { try await read(next) }
  }

  /// Reads a run and its runners.
  private func read(_ stamped: StampedRun) async throws(ApplicationError) {
    let runID = stamped.runID
    guard unreadable[runID] != stamped.stamp else {
      return tell(questions.answer(runID), .unreadable)
    }
    unreadable[runID] = nil
    switch try await StoredRun.read(runID, from: surroundings) {
    case .unreadable:
      unreadable[runID] = stamped.stamp
      tell(questions.answer(runID), .unreadable)
      forget(runID, .stopping)
    case .gone: forget(runID, .over)
    case .stored(let stored):
      var run =
        runs[runID]
        ?? LiveRun(
          stored.row, stored.course, stamp: stamped.stamp, audience: LiveAudience(at: loop.now))
      run.replace(stored.row, stored.course, stamp: stamped.stamp, roster: stored.roster)
      runs[runID] = run
    }
  }

  // MARK: Runner data

  /// Counts the rows stored after the current position in the sequence.
  private func follow() async throws(ApplicationError) {
    while let after {
      let rows = try await surroundings.database.rows(
        DataBehind(after: after, limit: Self.rowsMax))
      for row in rows where runs[row.runID]?.lacks(row.number, row.streamSeq) == true {
        let samples = surroundings.runData.samples(of: row)
        runs[row.runID]?.take(row.number, samples, upTo: row.streamSeq)
      }
      metrics.rows.increment(by: UInt64(rows.count))
      guard let last = rows.last else { return }
      self.after = last.streamSeq
      guard rows.count == Self.rowsMax else { return }
    }
  }

  /// Reads a page of the data of runners that was never read or whose late rows require a reload:
  /// of an active run, or else of the run read least recently.
  private func readOn() async throws(ApplicationError) {
    let now = surroundings.world.now().timestamp
    let waiting = runs.filter { $0.value.isToBeRead(at: loop.now) }
    let next = waiting.min {
      (isOn($0.value, now: now) ? 0 : 1, $0.value.readOnAt)
        < (isOn($1.value, now: now) ? 0 : 1, $1.value.readOnAt)
    }
    guard let runID = next?.key, let page = runs[runID]?.nextPage(at: loop.now) else { return }
    let rows = try await surroundings.runData.rows(of: page, from: surroundings.database)
    let count = runs[runID]?.takePage(rows, at: loop.now) ?? 0
    metrics.replays.increment(by: UInt64(count))
  }

  /// The runners on the course whose positions stopped arriving (RUN-14).
  func lostSignals() -> [LostSignal] {
    let now = surroundings.world.now().timestamp
    return runs.values.flatMap { $0.lostSignals(at: now) }
  }

  // MARK: Publishing

  /// Publishes the runs that are due and have changed.
  private func show() {
    let now = surroundings.world.now()
    for runID in runs.keys {
      guard var run = runs[runID], run.unread.isEmpty,
        run.frame == nil || isDue(run.framedAt, Self.pictureEvery)
      else { continue }
      run.framedAt = loop.now
      let watching = run.audience.streams + audiences.elsewhere(runID)
      let content = run.content(watching: watching, now: now.timestamp)
      if run.frame?.shows(content) != true {
        let frame = LiveFrame(
          content, after: run.frame,
          firstNumber: now.timestamp.millisecondsSince1970 / 1000)
        run.frame = frame
        metrics.pictures.increment()
        for board in boards { board.loop.execute { board.value.show(frame) } }
      }
      runs[runID] = run
    }
  }

  private func answer() {
    for runID in questions.runIDs {
      if let frame = runs[runID]?.frame { tell(questions.answer(runID), .frame(frame)) }
    }
    tell(questions.giveUp(at: loop.now), .unavailable)
  }

  private func exchangeAudiences() async throws(ApplicationError) {
    guard isDue(audiencesAt, LiveAudiences.every) else { return }
    audiencesAt = loop.now
    try await audiences.exchange(runs.mapValues(\.audience.streams))
  }
}
