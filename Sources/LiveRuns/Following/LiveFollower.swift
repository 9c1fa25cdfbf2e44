import Domain
import EventLoop
import Operations
import Postgres
import Runs
import ServiceKit
import Time

/// Follows current and requested runs, and publishes them on the frame stores of all loops: one per
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

  private let environment: Environment
  private let database: Database
  private let runData: RunData
  private let runnerNames: RunnerNames
  private let frameStores: [LoopBound<FrameStore>]
  private let loop: EventLoop
  private let metrics: LiveMetrics
  private let log: Log
  private let spectatorCounts: SpectatorCountExchange
  private var runs: [Int64: LiveRun] = [:]
  private var after: Int64?
  private var lookups = PendingLookups<CheckedContinuation<Found, Never>>()
  /// Requested runs that are listed and have to be read.
  private var requested: [StampedRun] = []
  /// The stamps of unreadable runs, so that each is read only once.
  private var unreadable: [Int64: String] = [:]
  private var refreshedAt: MonotonicInstant?
  private var countsExchangedAt: MonotonicInstant?
  private var work: PeriodicTask?
  private var isStopped = false

  /// Creates a follower that runs on the loop of this database, and fills these frame stores.
  init(
    environment: Environment, database: Database, runData: RunData, runnerNames: RunnerNames,
    frameStores: [LoopBound<FrameStore>], metrics: LiveMetrics, log: Log
  ) {
    self.environment = environment
    self.database = database
    self.runData = runData
    self.runnerNames = runnerNames
    self.frameStores = frameStores
    self.metrics = metrics
    self.log = log
    loop = database.loop
    spectatorCounts = SpectatorCountExchange(environment: environment, database: database)
  }

  /// Starts.
  func start() {
    let bound = LoopBound(self, on: loop)
    let begun = PeriodicTask(on: loop) { await bound.value.turn() }
    work = begun
    begun.start()
  }

  /// Stops after the current turn, and deletes this process's spectator counts.
  func stop() async {
    isStopped = true
    await work?.stop()
    notify(lookups.answerAll(), .unavailable)
    do throws(ApplicationError) { try await spectatorCounts.forget() } catch {
      log.failure("delete spectator counts failed", error, level: .warning)
    }
  }

  /// Resumes the continuation as soon as the run is read.
  func find(_ runID: Int64, _ continuation: CheckedContinuation<Found, Never>) {
    guard !isStopped, work != nil else { return continuation.resume(returning: .unavailable) }
    if let run = runs[runID] {
      run.spectatorCount.ask(at: loop.now)
      if let frame = run.frame { return continuation.resume(returning: .frame(frame)) }
    }
    switch lookups.ask(for: runID, continuation, at: loop.now) {
    case .waits: work?.wake()
    case .unknown: continuation.resume(returning: .unknown)
    case .tooMany: continuation.resume(returning: .unavailable)
    }
  }

  private func notify(_ waiters: [CheckedContinuation<Found, Never>], _ found: Found) {
    for continuation in waiters { continuation.resume(returning: found) }
  }

  // MARK: A turn

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      if after == nil { after = try await database.row(LastRunData()) }
      if isDue(refreshedAt, Self.pictureEvery) { try await refresh() }
      try await lookUpRequested()
      try await follow()
      try await readOn()
      try await exchangeSpectatorCounts()
      show()
      answer()
      return rest
    } catch {
      log.failure("update followed runs failed", error, level: .warning)
      notify(lookups.answerAll(), .unavailable)
      requested = []
      return Self.longPause
    }
  }

  /// The pause until the next turn.
  private var rest: Duration {
    if !requested.isEmpty || runs.values.contains(where: { $0.isToBeRead(at: loop.now) }) {
      return .zero
    }
    let now = environment.now().flooredToMilliseconds
    return runs.values.contains { $0.times.hasBegun(at: now) } ? Self.pause : Self.longPause
  }

  private func isDue(_ last: MonotonicInstant?, _ every: Duration) -> Bool {
    last.map { loop.now - $0 >= every } ?? true
  }

  // MARK: Choosing runs

  /// Lists the runs to follow, and rereads those that changed.
  private func refresh() async throws(ApplicationError) {
    refreshedAt = loop.now
    let now = environment.now().flooredToMilliseconds
    let kept = Array(keptForInterest(now: now))
    let rows = try await database.rows(
      FollowedRuns(
        endedAfter: now.adding(seconds: -Self.followedAfterEnd),
        startedBy: now.adding(seconds: Self.followedBeforeStart), kept: kept))
    let listed = Set(rows.map(\.runID))
    for (runID, run) in runs where !listed.contains(runID) {
      forget(runID, kept.contains(runID) || isOn(run, now: now) ? .over : .stopping)
    }
    for row in rows where runs[row.runID]?.stamp != row.stamp { try await read(row) }
    metrics.followed.set(Int64(runs.count))
  }

  /// Whether a run is followed without requests.
  private func isOn(_ run: LiveRun, now: Instant) -> Bool {
    run.times.startsAt <= now.adding(seconds: Self.followedBeforeStart)
      && run.times.endsAt > now.adding(seconds: -Self.followedAfterEnd)
  }

  /// The runs followed only because of requests: the most recently requested ones.
  private func keptForInterest(now: Instant) -> some Sequence<Int64> {
    let interesting = runs.filter {
      !isOn($0.value, now: now) && $0.value.spectatorCount.isInterested(at: loop.now)
    }
    return interesting.sorted {
      ($0.value.spectatorCount.streams, $0.value.spectatorCount.lastAsked)
        > ($1.value.spectatorCount.streams, $1.value.spectatorCount.lastAsked)
    }.prefix(Self.askedMax).map(\.key)
  }

  private func forget(_ runID: Int64, _ end: SpectatorStream.End) {
    runs[runID] = nil
    for frameStore in frameStores {
      frameStore.loop.execute { frameStore.value.remove(runID, end) }
    }
  }

  /// Looks up the requested numbers, and reads one of the runs.
  private func lookUpRequested() async throws(ApplicationError) {
    let new = lookups.runIDs.filter { runID in
      runs[runID] == nil && !requested.contains { $0.runID == runID }
    }
    if !new.isEmpty {
      let rows = try await database.rows(RequestedRuns(requested: new))
      let listed = Set(rows.map(\.runID))
      for runID in new where !listed.contains(runID) {
        notify(lookups.answerUnknown(runID, at: loop.now), .unknown)
      }
      requested += rows
    }
    guard !requested.isEmpty else { return }
    let next = requested.removeFirst()
    if runs[next.runID]?.stamp != next.stamp { try await read(next) }
  }

  /// Reads a run and its runners.
  private func read(_ stamped: StampedRun) async throws(ApplicationError) {
    let runID = stamped.runID
    guard unreadable[runID] != stamped.stamp else {
      return notify(lookups.answer(runID), .unreadable)
    }
    unreadable[runID] = nil
    let found = try await StoredRun.read(
      runID, from: database, runnerNames, reporting: runData.unreadable)
    switch found {
    case .unreadable:
      unreadable[runID] = stamped.stamp
      notify(lookups.answer(runID), .unreadable)
      forget(runID, .stopping)
    case .missing: forget(runID, .over)
    case .stored(let stored):
      var run =
        runs[runID]
        ?? LiveRun(
          stored.row, stored.course, stamp: stamped.stamp,
          spectatorCount: SpectatorCount(at: loop.now))
      run.replace(stored.row, stored.course, stamp: stamped.stamp, roster: stored.roster)
      runs[runID] = run
    }
  }

  // MARK: Runner data

  /// Counts the rows stored after the current position in the sequence.
  private func follow() async throws(ApplicationError) {
    while let after {
      let rows = try await database.rows(
        DataAfter(after: after, limit: Self.rowsMax))
      for row in rows where runs[row.runID]?.lacks(row.number, row.streamSeq) == true {
        let samples = runData.samples(of: row)
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
    let now = environment.now().flooredToMilliseconds
    let waiting = runs.filter { $0.value.isToBeRead(at: loop.now) }
    let next = waiting.min {
      (isOn($0.value, now: now) ? 0 : 1, $0.value.readOnAt)
        < (isOn($1.value, now: now) ? 0 : 1, $1.value.readOnAt)
    }
    guard let runID = next?.key, let page = runs[runID]?.nextPage(at: loop.now) else { return }
    let rows = try await runData.rows(of: page, from: database)
    let count = runs[runID]?.takePage(rows, at: loop.now) ?? 0
    metrics.replays.increment(by: UInt64(count))
  }

  /// The runners on the course whose positions stopped arriving (RUN-14).
  func lostSignals() -> [LostSignal] {
    let now = environment.now().flooredToMilliseconds
    return runs.values.flatMap { $0.lostSignals(at: now) }
  }

  // MARK: Publishing

  /// Publishes the runs that are due and have changed.
  private func show() {
    let now = environment.now()
    for runID in runs.keys {
      guard var run = runs[runID], run.unread.isEmpty,
        run.frame == nil || isDue(run.framedAt, Self.pictureEvery)
      else { continue }
      run.framedAt = loop.now
      let watching = run.spectatorCount.streams + spectatorCounts.elsewhere(runID)
      let content = run.content(watching: watching, now: now.flooredToMilliseconds)
      if run.frame?.shows(content) != true {
        let frame = LiveFrame(
          content, after: run.frame,
          firstNumber: now.secondsSince1970)
        run.frame = frame
        metrics.pictures.increment()
        for frameStore in frameStores { frameStore.loop.execute { frameStore.value.show(frame) } }
      }
      runs[runID] = run
    }
  }

  private func answer() {
    for runID in lookups.runIDs {
      if let frame = runs[runID]?.frame { notify(lookups.answer(runID), .frame(frame)) }
    }
    notify(lookups.giveUp(at: loop.now), .unavailable)
  }

  private func exchangeSpectatorCounts() async throws(ApplicationError) {
    guard isDue(countsExchangedAt, SpectatorCountExchange.every) else { return }
    countsExchangedAt = loop.now
    try await spectatorCounts.exchange(runs.mapValues(\.spectatorCount.streams))
  }
}
