import Domain
import EventLoop

/// A run that is followed: its course and its runners as far as the stored data has been counted.
/// What is shown of it is a pure function of course, data and the moment, alike in all processes.
struct LiveRun {
  private(set) var row: LiveRunRow
  /// Another one in the database means that the run is to be read again.
  private(set) var stamp: String
  private(set) var entrants: [Int32: LiveEntrant] = [:]
  /// The runners of whom everything is to be read again.
  private(set) var unread: Set<Int32> = []
  /// Who looks.
  let audience: LiveAudience
  /// What everybody has now.
  var frame: LiveFrame?
  /// When that was made.
  var framedAt = MonotonicInstant.zero
  private var timed: TimedCourse

  /// How long after the end everybody who watches is told of it: the last fixes are on their way.
  static let settleSeconds: Int64 = 5

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
      }
    }
    entrants = next
    unread = unread.filter { next[$0] != nil }
  }

  /// Whether what stands under a number of the sequence is still to be counted for a runner.
  func lacks(_ number: Int32, _ streamSeq: Int64) -> Bool {
    guard !unread.contains(number) else { return false }
    return entrants[number]?.lacks(streamSeq) ?? false
  }

  /// Counts what came of a runner under a number.
  mutating func take(_ number: Int32, _ samples: [Sample], upTo streamSeq: Int64) {
    if entrants[number]?.take(samples, upTo: streamSeq, on: timed) == .tooOld {
      unread.insert(number)
    }
  }

  /// Counts everything that is stored of a runner anew.
  mutating func takeAll(_ stored: CheckInSamples) {
    guard let entry = entrants[stored.number]?.entry else { return }
    entrants[stored.number] = LiveEntrant(
      entry, having: stored.samples, upTo: stored.streamSeq, on: timed)
  }

  /// Everything of these runners has been read.
  mutating func haveRead(_ numbers: Set<Int32>) { unread.subtract(numbers) }

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
