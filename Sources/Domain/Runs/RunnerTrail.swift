/// A runner's fixes in order and the resulting progress, including late arrivals.
///
/// A late fix is inserted by the device's time, and the progress after it is recomputed. Keeps the
/// last 20 minutes at one fix per second; an older fix requires a trail of all fixes.
package struct RunnerTrail: Sendable {
  /// The result of taking fixes.
  package enum Taken: Hashable, Sendable {
    /// The progress reflects all fixes ever taken.
    case counted
    /// Some fixes are older than the kept ones, and none was taken: a trail of all fixes is
    /// required.
    case tooOld
  }

  /// The largest number of kept fixes, and the number left after trimming.
  package static let keptMax = 1_200
  static let keptMin = keptMax / 2

  /// The progress of all fixes.
  package private(set) var progress = RunnerProgress()

  /// The kept fixes, in order and without duplicates.
  private var kept: [Fix] = []

  /// The progress before the kept fixes, and the last fix before them.
  private var foundation = RunnerProgress()
  private var foundationEnd: Fix?

  /// Creates a trail without fixes.
  package init() {}

  /// Creates the trail of all fixes of a runner, in any order.
  package init(of fixes: [Fix], on timed: TimedCourse) {
    _ = take(fixes, on: timed)
  }

  /// Takes new fixes in any order; duplicates count once.
  package mutating func take(_ fixes: [Fix], on timed: TimedCourse) -> Taken {
    let new = fixes.sorted()
    guard let first = new.first else { return .counted }
    if let foundationEnd, first <= foundationEnd { return .tooOld }
    let place = kept.lastIndex { $0 < first }.map { $0 + 1 } ?? 0
    let tail = (kept[place...] + new).sorted().withoutRepetitions
    if place < kept.endIndex { progress = progress(beforeFixAt: place, on: timed) }
    kept.replaceSubrange(place..., with: tail)
    for fix in tail { progress.take(fix, on: timed) }
    trim(on: timed)
    return .counted
  }

  private func progress(beforeFixAt place: Int, on timed: TimedCourse) -> RunnerProgress {
    var progress = foundation
    for fix in kept[..<place] { progress.take(fix, on: timed) }
    return progress
  }

  private mutating func trim(on timed: TimedCourse) {
    guard kept.count > Self.keptMax else { return }
    let surplus = kept.count - Self.keptMin
    foundation = progress(beforeFixAt: surplus, on: timed)
    foundationEnd = kept[surplus - 1]
    kept.removeFirst(surplus)
  }
}

extension [Fix] {
  /// The fixes without consecutive duplicates.
  fileprivate var withoutRepetitions: [Fix] {
    var distinct: [Fix] = []
    distinct.reserveCapacity(count)
    for fix in self where fix != distinct.last { distinct.append(fix) }
    return distinct
  }
}
