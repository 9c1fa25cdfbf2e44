import Domain
import Time

/// Progress by the rules in `facts.md`, computed slowly and simply: the course is a list of points
/// every half metre, and everything is recomputed from all fixes.
struct ProgressModel {
  var metres = 0.0
  var reachedAt: Instant?
  var finishedAt: Instant?
  var isOffCourse = false

  /// The distance between points in metres, which is the accuracy of the model.
  static let step = 0.5

  init(of fixes: [Fix], on course: Course, during times: RunTimes) {
    let poles =
      (0...Int(course.length / Self.step)).map { Double($0) * Self.step } + [course.length]
    let positions = poles.map { course.position(at: $0) }
    var before: (fix: Fix, metres: Double)?
    var speed = 2.5
    var awaySince: Instant?
    for fix in Set(fixes).sorted() where times.contains(fix.time) && fix.accuracyMetres <= 100 {
      let seconds = Self.seconds(from: before?.fix.time ?? times.startsAt, to: fix.time)
      if let before, before.fix.position.distance(to: fix.position) > 12.5 * seconds { continue }
      let first = max(Int(((metres - 50) / Self.step).rounded(.up)), 0)
      let last = Int((metres + 8 * seconds + 2 * fix.accuracyMetres) / Self.step)
      let inWindow = Array(first...min(last, poles.count - 1))
      let away = inWindow.map { positions[$0].distance(to: fix.position) }
      let nearest = away.min() ?? .infinity
      guard nearest <= max(100, 2 * fix.accuracyMetres) else {
        awaySince = awaySince ?? fix.time
        isOffCourse = Self.seconds(from: awaySince ?? fix.time, to: fix.time) >= 30
        continue
      }
      (awaySince, isOffCourse) = (nil, false)
      // Every point that is nearer than its two neighbours, and about as near as the nearest.
      let passes = inWindow.indices.filter { index in
        away[index] <= nearest + fix.accuracyMetres
          && (index == 0 || away[index] <= away[index - 1])
          && (index == away.count - 1 || away[index] <= away[index + 1])
      }.map { poles[inWindow[$0]] }
      let expected = metres + speed * seconds
      let place = passes.min { abs($0 - expected) < abs($1 - expected) } ?? metres
      let old = metres
      if place > metres || reachedAt == nil {
        metres = max(place, metres)
        reachedAt = fix.time
      }
      if seconds > 0 {
        speed += seconds / (seconds + 60) * ((metres - old) / seconds - speed)
      }
      if metres >= course.length - 0.5 {
        finishedAt = fix.time
        return
      }
      before = (fix, metres)
    }
  }

  private static func seconds(from earlier: Instant, to later: Instant) -> Double {
    Double(later.millisecondsSince1970 - earlier.millisecondsSince1970) / 1000
  }
}
