/// How far a runner has come, from the fixes of the device, taken in their order.
///
/// A pure machine: the same fixes on the same course give the same progress wherever and whenever
/// it is computed. Each fix is looked for only in the stretch of the course that the runner may
/// have reached since the fix before, so that laps, crossings and roads that are run both ways stay
/// apart; of several passes in that stretch that are equally near, the one counts where the
/// runner's pace leads to. Progress never falls. Fixes before the start and after the end, of more
/// than 100 m accuracy, or that only a vehicle could have reached, count for nothing.
package struct RunnerProgress: Hashable, Sendable {
  /// The metres along the course.
  package private(set) var metres = 0.0

  /// When the runner first was that far; nil until a fix on the course was taken.
  package private(set) var reachedAt: Timestamp?

  /// When the runner crossed the finish; nil until then.
  package private(set) var finishedAt: Timestamp?

  /// When the runner passed each whole kilometre, the first one first.
  package private(set) var kilometresAt: [Timestamp] = []

  /// The latest fix that counted, on the course or off it.
  package private(set) var latest: Fix?

  /// The metres a second at which the runner has lately come forward.
  package private(set) var recentSpeed = Self.speedUsual

  /// The latest fix that was on the course.
  private var latestOnCourse: Fix?

  /// Since when all fixes have been off the course.
  private var isAwaySince: Timestamp?

  /// Nothing yet: at the start.
  package init() {}

  /// Whether any fix has shown the runner on the course.
  package var hasStarted: Bool { reachedAt != nil }

  /// Whether the runner has been off the course for 30 s.
  package var isOffCourse: Bool {
    guard let isAwaySince, let latest else { return false }
    return latest.time.seconds(since: isAwaySince) >= Self.offCourseAfter
  }
}

// MARK: What counts

extension RunnerProgress {
  /// The stretch behind the last progress in which a fix is looked for, in metres.
  static let lookBack = 50.0
  /// The speed that the stretch before it grows by, in metres a second.
  static let lookAheadSpeed = 8.0
  /// A speed that no runner has, in metres a second: the world's fastest reach 12.4.
  static let speedMax = 12.5
  /// The worst accuracy that counts, in metres.
  static let accuracyMax = 100.0
  /// How far from the course a fix is off it, in metres, at the least.
  static let awayMin = 100.0
  /// For how many seconds a runner has been away before being off the course.
  static let offCourseAfter = 30.0
  /// What is taken for a runner's speed before there is any, in metres a second: 6:40 a kilometre.
  static let speedUsual = 2.5
  /// Over how many seconds the recent speed is taken.
  static let recentSeconds = 60.0
  /// How near the finish a runner has reached it, in metres: positions are rounded to a centimetre.
  static let finishWithin = 0.5
}

// MARK: Taking fixes

extension RunnerProgress {
  /// Takes the fix that comes after all that were taken.
  package mutating func take(_ fix: Fix, on timed: TimedCourse) {
    guard finishedAt == nil, timed.times.contains(fix.time),
      fix.accuracyMetres <= Self.accuracyMax, !isTooFast(fix)
    else { return }
    latest = fix
    let pass = pass(of: fix, on: timed)
    guard pass.away <= max(Self.awayMin, 2 * fix.accuracyMetres) else {
      if isAwaySince == nil { isAwaySince = fix.time }
      return
    }
    isAwaySince = nil
    advance(to: pass, at: fix, on: timed)
    latestOnCourse = fix
  }

  /// Whether nobody runs that fast from where the runner last was on the course. Elsewhere does not
  /// count: one stray position would hold off all right ones.
  private func isTooFast(_ fix: Fix) -> Bool {
    guard let latestOnCourse else { return false }
    let seconds = fix.time.seconds(since: latestOnCourse.time)
    return latestOnCourse.position.distance(to: fix.position) > Self.speedMax * seconds
  }

  /// The pass of the course that a fix belongs to: the nearest in the stretch that the runner may
  /// be on, and of those as near, within the accuracy, the one that the recent speed leads to.
  private func pass(of fix: Fix, on timed: TimedCourse) -> CoursePass {
    let seconds = fix.time.seconds(since: latestOnCourse?.time ?? timed.times.startsAt)
    let ahead = Self.lookAheadSpeed * seconds + 2 * fix.accuracyMetres
    let passes = timed.course.passes(
      of: EarthPoint(fix.position), in: metres - Self.lookBack...metres + ahead)
    let expected = metres + recentSpeed * seconds
    let nearest = passes.reduce(.infinity) { min($0, $1.away) }
    let asNear = passes.filter { $0.away <= nearest + fix.accuracyMetres }
    return asNear.min { abs($0.metres - expected) < abs($1.metres - expected) } ?? passes[0]
  }

  private mutating func advance(to pass: CoursePass, at fix: Fix, on timed: TimedCourse) {
    let course = timed.course
    let before = (metres: metres, time: latestOnCourse?.time ?? timed.times.startsAt)
    let isFinish = pass.metres >= course.length - Self.finishWithin
    let reached = isFinish ? course.length : max(pass.metres, metres)
    guard reached > before.metres || reachedAt == nil else {
      noteSpeed(0, over: fix.time.seconds(since: before.time))
      return
    }
    let target = isFinish ? course.runOut(of: EarthPoint(fix.position)) : reached
    func time(at metres: Double) -> Timestamp {
      before.time.interpolated(
        to: fix.time, (metres - before.metres) / (target - before.metres))
    }
    while Double(kilometresAt.count + 1) * 1000 <= reached {
      kilometresAt.append(time(at: Double(kilometresAt.count + 1) * 1000))
    }
    if isFinish { finishedAt = time(at: course.length) }
    noteSpeed(reached - before.metres, over: fix.time.seconds(since: before.time))
    metres = reached
    reachedAt = finishedAt ?? fix.time
  }

  /// Takes a step into the recent speed, the more the longer it took.
  private mutating func noteSpeed(_ metres: Double, over seconds: Double) {
    guard seconds > 0 else { return }
    let weight = seconds / (seconds + Self.recentSeconds)
    recentSpeed += weight * (metres / seconds - recentSpeed)
  }
}

extension Course {
  /// How far along the course a place near the finish lies if the last leg went on behind it.
  fileprivate func runOut(of place: EarthPoint) -> Double {
    max(nearest(to: place, onLeg: legCount - 1), length)
  }
}

extension Timestamp {
  /// The moment that a share of 0 to 1 of the way from this one to a later one leads to.
  fileprivate func interpolated(to later: Timestamp, _ share: Double) -> Timestamp {
    let whole = Double(later.millisecondsSince1970 - millisecondsSince1970)
    return adding(milliseconds: Int64((min(max(share, 0), 1) * whole).rounded()))
  }
}
