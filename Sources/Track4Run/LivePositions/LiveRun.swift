import Domain
import EventLoop

/// A run that is followed: its course and its runners as far as the stored data has been counted.
/// What is shown of it is a pure function of course, data and the moment, alike in all processes.
struct LiveRun {
  private(set) var row: LiveRunRow
  /// Another one in the database means that the run is to be read again.
  private(set) var stamp: String
  private(set) var entrants: [Int32: LiveEntrant] = [:]
  /// The runners of whom nothing was counted yet: the run is not shown until they were read.
  private(set) var unread: Set<Int32> = []
  /// The runners whose fixes came too late to be counted; they are shown by the others meanwhile.
  private var late: Set<Int32> = []
  /// When the runners who were late may be read again.
  private var readableAt: [Int32: MonotonicInstant] = [:]
  /// What is read of runners, if something is.
  private(set) var reading: LiveReading?
  /// When it was last read on.
  private(set) var readOnAt = MonotonicInstant.zero
  /// Who looks.
  let audience: LiveAudience
  /// What everybody has now.
  var frame: LiveFrame?
  /// When that was made.
  var framedAt = MonotonicInstant.zero
  private var timed: TimedCourse

  /// How long after the end everybody who watches is told of it: the last fixes are on their way.
  static let settleSeconds: Int64 = 5

  /// How long a runner who was late is not read again, at the least.
  static let lateRest = Duration.seconds(5)
  /// How much longer for each row that was read, and for each sample, so that a runner who is late
  /// again and again takes some hundredths of the loop.
  static let lateRestForRow = Duration.milliseconds(1)
  static let lateRestForSample = Duration.microseconds(100)

  /// A run without runners.
  init(_ row: LiveRunRow, _ timed: TimedCourse, stamp: String, audience: LiveAudience) {
    self.row = row
    self.timed = timed
    self.stamp = stamp
    self.audience = audience
  }

  /// When it begins and ends.
  var times: RunTimes { timed.times }

  /// Takes the run as it is now, and who runs.
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

  /// Whether what stands under a number of the sequence is still to be counted for a runner.
  func lacks(_ number: Int32, _ streamSeq: Int64) -> Bool {
    guard !unread.contains(number) else { return false }
    return entrants[number]?.lacks(streamSeq) ?? false
  }

  /// Counts what came of a runner under a number.
  mutating func take(_ number: Int32, _ samples: [Sample], upTo streamSeq: Int64) {
    if entrants[number]?.take(samples, upTo: streamSeq, on: timed) == .tooOld {
      late.insert(number)
    }
  }

  /// The runners who are on the way and of whom no position comes any more; none of a run that was
  /// not read as a whole.
  func lostSignals(at now: Timestamp) -> [LostSignal] {
    guard unread.isEmpty, late.isEmpty else { return [] }
    return entrants.values.compactMap { $0.lostSignal(in: row.runID, during: times, at: now) }
  }

  /// What is shown at a moment.
  func content(watching: Int, now: Timestamp) -> LiveFrame.Content {
    let state = RunState(startsAt: times.startsAt, endsAt: times.endsAt, now: now)
    return LiveFrame.Content(
      row: row, state: state,
      isOver: times.isOver(at: now.adding(seconds: -Self.settleSeconds)), watching: watching,
      standings: state == .open ? [] : standings(now: now), audience: audience)
  }

  private func standings(now: Timestamp) -> [LiveStanding] {
    let places = Placings(of: entrants.map { (runner: $0.key, progress: $0.value.progress) })
    var standings: [LiveStanding] = []
    standings.reserveCapacity(entrants.count)
    var placed: Set<Int32> = []
    for place in places.places {
      guard let entrant = entrants[place.runner] else { continue }
      placed.insert(place.runner)
      standings.append(LiveStanding(entrant, place: place.place, on: timed, now: now))
    }
    for (number, entrant) in entrants.sorted(by: { $0.key < $1.key })
    where !placed.contains(number) {
      standings.append(LiveStanding(entrant, place: nil, on: timed, now: now))
    }
    return standings
  }
}

// MARK: Reading what is stored

extension LiveRun {
  /// Whether something of runners is to be read by now.
  func isToBeRead(at now: MonotonicInstant) -> Bool {
    reading != nil || !unread.isEmpty || late.contains { isReadable($0, at: now) }
  }

  private func isReadable(_ number: Int32, at now: MonotonicInstant) -> Bool {
    readableAt[number].map { $0 <= now } ?? true
  }

  /// The page that is to be read next; a reading begins where none is under way.
  mutating func nextPage(at now: MonotonicInstant) -> DataOfRun {
    readOnAt = now
    if let reading { return reading.page }
    let numbers = unread.union(late.filter { isReadable($0, at: now) })
    let begun = LiveReading(
      of: row.runID, numbers, areAll: numbers.count == entrants.count)
    reading = begun
    return begun.page
  }

  /// Counts everything of the runners whom a page completes; gives how many those are.
  ///
  /// Between the asking for the page and this, nothing else of the run may be counted.
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
