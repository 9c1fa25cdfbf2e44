import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Follows the runs that are on, and those that somebody asks for, and shows them on the boards of
/// all loops: one per process, for its first loop.
///
/// Ten times a second it reads what was stored behind the number where it stands; once a second it
/// looks whether anything of the runs themselves has changed. Nothing is kept elsewhere: a process
/// that begins reads what is stored and comes to the same.
final class LiveFollower {
  /// How often stored data is looked for while a run is on.
  static let pause = Duration.milliseconds(100)
  /// How long work rests while none is, and after a failure.
  static let longPause = Duration.milliseconds(500)
  /// How often a run is shown at most, and looked at for changes.
  static let pictureEvery = Duration.seconds(1)
  /// How long a run is followed after its end without being asked for, in seconds.
  static let followedAfterEnd: Int64 = 900
  /// How long before its start a run is read, in seconds.
  static let followedBeforeStart: Int64 = 60
  /// Runs that are followed only because they were asked for, at most.
  static let askedMax = 64
  /// Rows of one reading.
  static let rowsMax: Int64 = 500

  /// What became of a question for a run.
  enum Found: Sendable {
    case frame(LiveFrame)
    /// No such run is listed.
    case unknown
    /// The database is away, or the process stops.
    case unavailable
  }

  private let surroundings: LiveSurroundings
  private let boards: [LoopBound<LiveBoard>]
  private let loop: EventLoop
  private let metrics: LiveMetrics
  private let log: Log
  private let process: PostgresUUID
  private var runs: [Int64: LiveRun] = [:]
  private var after: Int64?
  private var questions: [Int64: [CheckedContinuation<Found, Never>]] = [:]
  private var othersWatching: [Int64: Int] = [:]
  private var noted: Set<Int64> = []
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
    let bytes = surroundings.world.randomBytes(16)
    process = PostgresUUID(
      high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.suffix(8)))
  }

  /// Begins.
  func start() {
    let bound = LoopBound(self, on: loop)
    let begun = RepeatingWork(on: loop) { await bound.value.turn() }
    work = begun
    begun.start()
  }

  /// Ends after the turn under way, and forgets who watched here.
  func stop() async {
    isStopped = true
    await work?.stop()
    answer(all: .unavailable)
    let before = surroundings.world.now() - .seconds(3600)
    let forget = ForgetAudiences(process: process, before: before)
    do throws(Problem) { _ = try await surroundings.database.effect(forget) } catch {
      log.warning("who watched is not forgotten", [.number("status", error.status.code)])
    }
  }

  /// Answers as soon as the run is read.
  func find(_ runID: Int64, _ continuation: CheckedContinuation<Found, Never>) {
    guard !isStopped, work != nil else { return continuation.resume(returning: .unavailable) }
    if let frame = runs[runID]?.frame { return continuation.resume(returning: .frame(frame)) }
    questions[runID, default: []].append(continuation)
    work?.wake()
  }

  private func answer(all found: Found) {
    let open = questions
    questions = [:]
    for continuation in open.values.joined() { continuation.resume(returning: found) }
  }

  // MARK: A turn

  private func turn() async -> Duration {
    let asked = Set(questions.keys)
    do throws(Problem) {
      if after == nil { after = try await surroundings.database.row(LastRunData()) }
      if !asked.isEmpty || isDue(refreshedAt, Self.pictureEvery) { try await refresh(asked) }
      try await follow()
      try await readAgain()
      try await noteAudiences()
      show()
      answer(asked)
      let now = surroundings.world.now().timestamp
      return runs.values.contains { $0.times.hasBegun(at: now) } ? Self.pause : Self.longPause
    } catch {
      log.warning("runs could not be followed", [.number("status", error.status.code)])
      answer(all: .unavailable)
      return Self.longPause
    }
  }

  private func isDue(_ last: MonotonicInstant?, _ every: Duration) -> Bool {
    last.map { loop.now - $0 >= every } ?? true
  }

  /// Looks which runs there are, and reads those anew in which something has changed.
  private func refresh(_ asked: Set<Int64>) async throws(Problem) {
    refreshedAt = loop.now
    let now = surroundings.world.now().timestamp
    let wanted = asked.union(keptForInterest(now: now))
    let rows = try await surroundings.database.rows(
      FollowedRuns(
        endedAfter: WallTime(now.adding(seconds: -Self.followedAfterEnd)),
        startedBy: WallTime(now.adding(seconds: Self.followedBeforeStart)),
        asked: Array(wanted)))
    let listed = Set(rows.map(\.runID))
    for (runID, run) in runs where !listed.contains(runID) {
      forget(runID, wanted.contains(runID) || isOn(run, now: now) ? .over : .stopping)
    }
    for row in rows where runs[row.runID]?.stamp != row.stamp {
      try await read(row.runID, stamp: row.stamp)
    }
    metrics.followed.set(Int64(runs.count))
  }

  /// Whether a run is followed without being asked for.
  private func isOn(_ run: LiveRun, now: Timestamp) -> Bool {
    run.times.startsAt <= now.adding(seconds: Self.followedBeforeStart)
      && run.times.endsAt > now.adding(seconds: -Self.followedAfterEnd)
  }

  /// The runs that are followed only because somebody is interested: those asked for last.
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

  /// Reads a run and who is in it.
  private func read(_ runID: Int64, stamp: String) async throws(Problem) {
    guard let row = try await surroundings.database.row(LiveRunByID(runID: runID)) else {
      return forget(runID, .over)
    }
    var roster: [LiveEntrant.Entry] = []
    for entry in try await surroundings.database.rows(Roster(runID: runID)) {
      roster.append(try entry.opened(in: runID, by: surroundings.runnerNames))
    }
    let timed = try row.timedCourse()
    var run =
      runs[runID]
      ?? LiveRun(row, timed, stamp: stamp, audience: LiveAudience(at: loop.now))
    run.replace(row, timed, stamp: stamp, roster: roster)
    runs[runID] = run
  }

  /// Counts what was stored behind the number where it stands.
  private func follow() async throws(Problem) {
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

  /// Reads everything of the runners of whom nothing is known, or who were late by too much.
  private func readAgain() async throws(Problem) {
    for runID in runs.keys {
      guard let run = runs[runID], !run.unread.isEmpty else { continue }
      let numbers = run.unread
      metrics.replays.increment(by: UInt64(numbers.count))
      let wanted = numbers.count == run.entrants.count ? nil : numbers.sorted()
      var page = DataOfRun(runID: runID, numbers: wanted, limit: RunData.pageMax)
      var whole: CheckInSamples?
      while true {
        let rows = try await surroundings.runData.rows(of: page, from: surroundings.database)
        for row in rows {
          if whole?.number == row.number {
            whole?.join(row)
          } else {
            if let whole { runs[runID]?.takeAll(whole) }
            whole = row
          }
        }
        guard rows.count == RunData.pageMax, let last = rows.last else { break }
        page.goOn(behind: last)
      }
      if let whole { runs[runID]?.takeAll(whole) }
      runs[runID]?.haveRead(numbers)
    }
  }

  // MARK: Showing

  /// Shows the runs that are due and have changed.
  private func show() {
    let now = surroundings.world.now()
    for runID in runs.keys {
      guard var run = runs[runID],
        run.frame == nil || isDue(run.framedAt, Self.pictureEvery)
      else { continue }
      run.framedAt = loop.now
      let watching = run.audience.streams + othersWatching[runID, default: 0]
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

  private func answer(_ asked: Set<Int64>) {
    for runID in asked {
      let found = runs[runID]?.frame.map { Found.frame($0) } ?? .unknown
      for continuation in questions.removeValue(forKey: runID) ?? [] {
        continuation.resume(returning: found)
      }
    }
  }

  // MARK: Who watches (RUN-15)

  /// How often processes tell each other.
  private static let audiencesEvery = Duration.seconds(3)
  /// For how long what a process said counts.
  private static let audiencesFor = Duration.seconds(15)

  private func noteAudiences() async throws(Problem) {
    guard isDue(audiencesAt, Self.audiencesEvery) else { return }
    audiencesAt = loop.now
    let now = surroundings.world.now()
    var note = NoteAudiences(process: process, now: now)
    for (runID, run) in runs where run.audience.streams > 0 || noted.contains(runID) {
      note.runs.append(runID)
      note.streams.append(Int32(clamping: run.audience.streams))
    }
    noted = Set(runs.filter { $0.value.audience.streams > 0 }.keys)
    if !note.runs.isEmpty { _ = try await surroundings.database.effect(note) }
    guard !runs.isEmpty else { return }
    let others = try await surroundings.database.rows(
      OtherAudiences(process: process, after: now - Self.audiencesFor))
    othersWatching = Dictionary(
      others.map { ($0.runID, Int($0.streams)) }, uniquingKeysWith: { $1 })
  }
}

extension Roster.Row {
  /// The runner with the name that everybody may read.
  ///
  /// - Throws: 500 for a name that is not as it was stored.
  fileprivate func opened(
    in runID: Int64, by names: RunnerNames
  ) throws(Problem) -> LiveEntrant.Entry {
    let name = try names.opened(sealedName, in: runID, of: account)
    return LiveEntrant.Entry(
      number: number, account: account, name: name ?? number.description,
      showsHealth: showsHealth, isFindable: isFindable, isPaused: isPaused,
      dataRevision: dataRevision)
  }
}
