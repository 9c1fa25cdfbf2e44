import Time

/// A runner's progress, computed from the device's fixes in order.
///
/// A pure machine: the same fixes on the same course always yield the same progress. Each fix is
/// matched only to the section of the course that the runner may have reached since the previous
/// fix, so that laps, crossings and roads run in both directions are kept apart. Of several equally
/// near passes in that section, the one that matches the runner's pace counts. Progress never
/// decreases. Ignored are fixes before the start and after the end, those of more than 100 m
/// accuracy, and those that only a vehicle could have reached.
package struct RunnerProgress: Hashable, Sendable {
  /// The distance along the course in metres.
  package private(set) var metres = 0.0

  /// When the runner first reached that distance; nil before the first fix on the course.
  package private(set) var reachedAt: Instant?

  /// When the runner crossed the finish; nil before.
  package private(set) var finishedAt: Instant?

  /// When the runner passed each whole kilometre, in order.
  package private(set) var kilometresAt: [Instant] = []

  /// The latest fix that counted, on the course or off it.
  package private(set) var latest: Fix?

  /// The runner's recent speed along the course, in metres a second.
  package private(set) var recentSpeed = Self.speedUsual

  /// The latest fix on the course.
  private var latestOnCourse: Fix?

  /// The time since which all fixes have been off the course.
  private var offCourseSince: Instant?

  /// Creates progress at the start.
  package init() {}

  /// Whether any fix has shown the runner on the course.
  package var hasStarted: Bool { reachedAt != nil }

  /// Whether the runner has been off the course for 30 s.
  package var isOffCourse: Bool {
    guard let offCourseSince, let latest else { return false }
    return latest.time.seconds(since: offCourseSince) >= Self.offCourseAfter
  }
}

// MARK: Constants

extension RunnerProgress {
  /// How far behind the last progress a fix is searched for, in metres.
  static let lookBack = 50.0
  /// How fast the search range ahead grows, in metres a second.
  static let lookAheadSpeed = 8.0
  /// A speed above that of any runner, in metres a second: the world's fastest reach 12.4.
  static let speedMax = 12.5
  /// The worst accuracy that counts, in metres.
  static let accuracyMax = 100.0
  /// The smallest distance from the course at which a fix is off it, in metres.
  static let offCourseMin = 100.0
  /// How many seconds all fixes must be off the course before the runner counts as off course.
  static let offCourseAfter = 30.0
  /// The assumed speed before any is known, in metres a second: 6:40 a kilometre.
  static let speedUsual = 2.5
  /// The averaging time of the recent speed, in seconds.
  static let recentSeconds = 60.0
  /// The distance in metres at which the finish counts as reached: positions are rounded to a
  /// centimetre.
  static let finishWithin = 0.5
}

// MARK: Taking fixes

extension RunnerProgress {
  /// Takes the next fix; fixes must be taken in order.
  package mutating func take(_ fix: Fix, on timed: TimedCourse) {
    guard finishedAt == nil, timed.times.contains(fix.time),
      fix.accuracyMetres <= Self.accuracyMax, !isTooFast(fix)
    else { return }
    latest = fix
    let pass = pass(of: fix, on: timed)
    guard pass.distance <= max(Self.offCourseMin, 2 * fix.accuracyMetres) else {
      if offCourseSince == nil { offCourseSince = fix.time }
      return
    }
    offCourseSince = nil
    advance(to: pass, at: fix, on: timed)
    latestOnCourse = fix
  }

  /// Whether no runner could be that fast from the last fix on the course. Fixes off the course do
  /// not count: a single stray position would otherwise block all correct ones.
  private func isTooFast(_ fix: Fix) -> Bool {
    guard let latestOnCourse else { return false }
    let seconds = fix.time.seconds(since: latestOnCourse.time)
    return latestOnCourse.position.distance(to: fix.position) > Self.speedMax * seconds
  }

  /// The pass of the course that a fix belongs to: the nearest in the section that the runner may
  /// be on; among those equally near, within the accuracy, the one that the recent speed predicts.
  private func pass(of fix: Fix, on timed: TimedCourse) -> CoursePass {
    let seconds = fix.time.seconds(since: latestOnCourse?.time ?? timed.times.startsAt)
    let ahead = Self.lookAheadSpeed * seconds + 2 * fix.accuracyMetres
    let passes = timed.course.passes(
      of: EarthPoint(fix.position), in: metres - Self.lookBack...metres + ahead)
    let expected = metres + recentSpeed * seconds
    let nearest = passes.reduce(.infinity) { min($0, $1.distance) }
    let asNear = passes.filter { $0.distance <= nearest + fix.accuracyMetres }
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
    func time(at metres: Double) -> Instant {
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

  /// Includes a step in the recent speed, weighted by its duration.
  private mutating func noteSpeed(_ metres: Double, over seconds: Double) {
    guard seconds > 0 else { return }
    let weight = seconds / (seconds + Self.recentSeconds)
    recentSpeed += weight * (metres / seconds - recentSpeed)
  }
}

extension Course {
  /// The distance along the course of a point near the finish, extending the last leg beyond it.
  fileprivate func runOut(of place: EarthPoint) -> Double {
    max(nearest(to: place, onLeg: legCount - 1), length)
  }
}

extension Instant {
  /// The moment at a share of 0 to 1 of the time from this one to a later one.
  fileprivate func interpolated(to later: Instant, _ share: Double) -> Instant {
    let whole = Double(later.millisecondsSince1970 - millisecondsSince1970)
    return adding(milliseconds: Int64((min(max(share, 0), 1) * whole).rounded()))
  }
}
