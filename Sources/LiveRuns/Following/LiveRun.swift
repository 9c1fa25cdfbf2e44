import Domain
import Runs
import Time

/// A followed run: its course, and its runners with the stored data counted so far.
///
/// The frame is a pure function of course, data and time, so all processes publish the same.
struct LiveRun {
  private(set) var row: LiveRunRow
  /// The version of the stored run; if the database has another one, the run has to be reread.
  private(set) var stamp: String
  private(set) var entrants: [Int32: LiveEntrant] = [:]
  /// The runners whose data was never read; the run is not published until they were.
  private(set) var unread: Set<Int32> = []
  /// The runners with fixes too late to be counted; until a reload they are shown by the other
  /// fixes.
  private var late: Set<Int32> = []
  /// The time from which the data of each late runner may be reloaded.
  private var readableAt: [Int32: MonotonicInstant] = [:]
  /// The read of runner data in progress, if any.
  private(set) var reading: LiveReading?
  /// When runner data was last read.
  private(set) var readOnAt = MonotonicInstant.zero
  /// The run's spectators.
  let spectatorCount: SpectatorCount
  /// The published frame.
  var frame: LiveFrame?
  /// When the frame was published.
  var framedAt = MonotonicInstant.zero
  private var timed: TimedCourse

  /// The delay after the end before spectators are notified, in seconds: the last fixes are still
  /// in transit.
  static let settleSeconds: Int64 = 5

  /// The shortest interval between two reloads of a late runner.
  static let lateRest = Duration.seconds(5)
  /// The additional interval for each row and each sample read, so that a runner who is late
  /// repeatedly costs a few percent of the loop.
  static let lateRestForRow = Duration.milliseconds(1)
  static let lateRestForSample = Duration.microseconds(100)

  /// A run without runners.
  init(_ row: LiveRunRow, _ timed: TimedCourse, stamp: String, spectatorCount: SpectatorCount) {
    self.row = row
    self.timed = timed
    self.stamp = stamp
    self.spectatorCount = spectatorCount
  }

  /// When it begins and ends.
  var times: RunTimes { timed.times }

  /// Applies the changed run and its runners.
  mutating func replace(
    _ row: LiveRunRow, _ timed: TimedCourse, stamp: String, roster: [LiveEntrant.Entry]
  ) {
    let hasSameCourse = self.row.hasSameCourse(as: row)
    if !hasSameCourse { reading = nil }
    self.row = row
    self.timed = timed
    self.stamp = stamp
    var next: [Int32: LiveEntrant] = [:]
    for entry in roster {
      if hasSameCourse, var known = entrants[entry.number], known.carries(over: entry) {
        known.replace(entry)
        next[entry.number] = known
      } else {
        next[entry.number] = LiveEntrant(entry)
        unread.insert(entry.number)
        reading?.drop(entry.number)
      }
    }
    entrants = next
    unread = unread.filter { next[$0] != nil }
    late = late.filter { next[$0] != nil }
    readableAt = readableAt.filter { next[$0.key] != nil }
  }

  /// Whether the row with this number has to be counted for a runner.
  func lacks(_ number: Int32, _ streamSeq: Int64) -> Bool {
    guard !unread.contains(number) else { return false }
    return entrants[number]?.lacks(streamSeq) ?? false
  }

  /// Counts the samples of a runner's row.
  mutating func take(_ number: Int32, _ samples: [Sample], upTo streamSeq: Int64) {
    if entrants[number]?.take(samples, upTo: streamSeq, on: timed) == .tooOld {
      late.insert(number)
    }
  }

  /// The runners on the course whose positions stopped arriving; none for a run that was not
  /// completely read.
  func lostSignals(at now: Instant) -> [LostSignal] {
    guard unread.isEmpty, late.isEmpty else { return [] }
    return entrants.values.compactMap { $0.lostSignal(in: row.runID, during: times, at: now) }
  }

  /// The content of the frame at a time.
  func content(watching: Int, now: Instant) -> LiveFrame.Content {
    let state = RunState(startsAt: times.startsAt, endsAt: times.endsAt, now: now)
    return LiveFrame.Content(
      row: row, state: state,
      isOver: times.isOver(at: now.adding(seconds: -Self.settleSeconds)), watching: watching,
      standings: state == .open ? [] : standings(now: now), spectatorCount: spectatorCount)
  }

  private func standings(now: Instant) -> [LiveStanding] {
    let placings = Placings(of: entrants.map { (runner: $0.key, progress: $0.value.progress) })
    var standings: [LiveStanding] = []
    standings.reserveCapacity(entrants.count)
    var ranked: Set<Int32> = []
    for rank in placings.ranks {
      guard let entrant = entrants[rank.runner] else { continue }
      ranked.insert(rank.runner)
      standings.append(LiveStanding(entrant, rank: rank.rank, on: timed, now: now))
    }
    for (number, entrant) in entrants.sorted(by: { $0.key < $1.key })
    where !ranked.contains(number) {
      standings.append(LiveStanding(entrant, rank: nil, on: timed, now: now))
    }
    return standings
  }
}

// MARK: Reading stored data

extension LiveRun {
  /// Whether runner data has to be read now.
  func isToBeRead(at now: MonotonicInstant) -> Bool {
    reading != nil || !unread.isEmpty || late.contains { isReadable($0, at: now) }
  }

  private func isReadable(_ number: Int32, at now: MonotonicInstant) -> Bool {
    readableAt[number].map { $0 <= now } ?? true
  }

  /// The next page to read; starts a pass if none is in progress.
  mutating func nextPage(at now: MonotonicInstant) -> DataOfRun {
    readOnAt = now
    if let reading { return reading.page }
    let numbers = unread.union(late.filter { isReadable($0, at: now) })
    let begun = LiveReading(
      of: row.runID, numbers, areAll: numbers.count == entrants.count)
    reading = begun
    return begun.page
  }

  /// Counts all data of the runners whom a page completes; returns their number.
  ///
  /// Between the request for the page and this call, no other data of the run may be counted.
  mutating func takePage(_ rows: [CheckInSamples], at now: MonotonicInstant) -> Int {
    let whole = reading?.take(rows) ?? []
    for runner in whole {
      if let data = runner.data, let entry = entrants[runner.number]?.entry {
        entrants[runner.number] = LiveEntrant(
          entry, having: data.samples, upTo: data.streamSeq, on: timed)
      }
      unread.remove(runner.number)
      if late.remove(runner.number) != nil {
        let rest =
          Self.lateRestForRow * runner.rows
          + Self.lateRestForSample * (runner.data?.samples.count ?? 0)
        readableAt[runner.number] = now + max(Self.lateRest, rest)
      }
    }
    if reading?.isOver == true { reading = nil }
    return whole.count
  }
}
