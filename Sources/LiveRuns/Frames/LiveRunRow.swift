import Domain
import Runs
import ServiceKit
import Time

/// A listed run with its path, as stored.
struct LiveRunRow: Sendable, Equatable {
  let runID: Int64
  let code: String
  let name: String
  let description: String?
  let place: String?
  let startsAt: Instant
  let endsAt: Instant
  let enrolUntil: Instant
  let participantsMax: Int32
  let enrolled: Int32
  let organiser: String
  let path: StoredPath
  let lengthMetres: Double
  let hasPicture: Bool
  let clausesVersion: Int32?

  /// The course with its times.
  ///
  /// - Throws: `internalError` for a row with inconsistent values.
  func timedCourse() throws(ApplicationError) -> TimedCourse {
    guard let times = RunTimes(startsAt: startsAt, endsAt: endsAt) else {
      throw .internalError(because: "A row of runs ends before it starts.")
    }
    return TimedCourse(Course(path.path), during: times)
  }

  /// Whether the course by which progress is measured is the same.
  func hasSameCourse(as other: Self) -> Bool {
    path == other.path && startsAt == other.startsAt && endsAt == other.endsAt
  }
}
