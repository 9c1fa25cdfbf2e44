/// The fixes of a runner in their order and what they come to, however late some arrive.
///
/// A fix that comes late is put in its place by the device's time, and what follows is computed
/// again. Only the last 20 minutes at a fix a second are kept; an older one asks for a trail made
/// of all fixes.
package struct RunnerTrail: Sendable {
  /// What taking fixes came to.
  package enum Taken: Hashable, Sendable {
    /// Progress is that of all fixes that were ever taken.
    case counted
    /// Some are older than what is kept, and none was taken: only a trail of all fixes knows.
    case tooOld
  }

  /// How many fixes are kept at most, and how many at least once there are so many.
  package static let keptMax = 1_200
  static let keptMin = keptMax / 2

  /// What all fixes come to.
  package private(set) var progress = RunnerProgress()

  /// The fixes that are kept, in their order and each once.
  private var kept: [Fix] = []

  /// What the fixes before the kept ones come to, and the last of them.
  private var foundation = RunnerProgress()
  private var foundationEnd: Fix?

  /// A trail without fixes.
  package init() {}

  /// The trail of all fixes of a runner, in any order.
  package init(of fixes: [Fix], on timed: TimedCourse) {
    _ = take(fixes, on: timed)
  }

  /// Takes fixes that have just arrived, in any order; those it has already count once.
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
  /// The same without those that equal the one before.
  fileprivate var withoutRepetitions: [Fix] {
    var distinct: [Fix] = []
    distinct.reserveCapacity(count)
    for fix in self where fix != distinct.last { distinct.append(fix) }
    return distinct
  }
}
