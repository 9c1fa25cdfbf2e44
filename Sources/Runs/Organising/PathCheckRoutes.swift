import Domain
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Checks a path during drawing, by the rules of publishing, without publishing it (RUN-17).
struct PathCheckRoutes: Sendable {
  private let database: Database
  private let zone: TimeZoneRules

  /// Routes of one loop.
  init(database: Database, zone: TimeZoneRules) {
    self.database = database
    self.zone = zone
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.checkRunPath, check)] }

  /// - Throws: 400 for invalid coordinates, 404 for another organiser's run, 503.
  @Sendable private func check(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: CheckRunPathBody = try request.payload()
    let check = RunPathCheck(payload.points)
    var faults = [PathFault](check)
    let day = try await day(of: payload, for: caller.account)
    if let day, let path = try? RunPath(payload.points) {
      let legs = try await legs(of: path, check, sharedOn: day, besides: payload.runID ?? 0)
      if let legs { faults.append(.alongAnother(legs)) }
    }
    return .json { writer in
      writer.field("valid", faults.isEmpty)
      writer.field("length", (check.length * 10).rounded() / 10)
      writer.array("faults") { for fault in faults { fault.write(to: &$0) } }
    }
  }

  /// The day whose runs the path is compared with: that of the run, or of the given start; nil
  /// without either.
  private func day(
    of payload: CheckRunPathBody, for caller: AccountID
  ) async throws(ApplicationError) -> CalendarDate? {
    guard let runID = payload.runID else {
      return payload.startsAt.map { zone.day(of: $0) }
    }
    let organised = RunOfOrganiser(runID: runID, thirdParty: caller)
    guard let run = try await database.row(organised) else { throw .notFound }
    return zone.day(of: payload.startsAt ?? run.startsAt)
  }

  /// The legs along a published run of a day with which the path shares half or more of its length;
  /// nil if there is no such run.
  private func legs(
    of path: RunPath, _ check: RunPathCheck, sharedOn day: CalendarDate, besides runID: Int64
  ) async throws(ApplicationError) -> [Int]? {
    let nearby = try await database.rows(
      PathsNearby(
        runID: runID, from: zone.start(of: day),
        to: zone.start(of: day.adding(days: 1)), path: StoredPath(path),
        metres: Course.alongWithin))
    let course = Course(path)
    for other in nearby.map({ Course($0.path) })
    where course.share(along: other) >= RunOrganising.shareMax {
      return check.legs(of: course, along: other)
    }
    return nil
  }
}

/// A fault of a path, with the affected legs.
private struct PathFault {
  let apiName: String
  let detail: String
  var legs: [Int]

  static func alongAnother(_ legs: [Int]) -> PathFault {
    PathFault(
      apiName: "along another run", detail: PublicationRefusal.alongAnother.description, legs: legs)
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("fault", apiName)
      writer.array("legs") { for leg in legs { $0.value(leg) } }
      writer.field("detail", detail)
    }
  }
}

extension [PathFault] {
  /// The faults of a check, grouped by kind.
  fileprivate init(_ check: RunPathCheck) {
    self = []
    for fault in check.faults {
      let legs = [fault.leg].compactMap(\.self)
      if let known = firstIndex(where: { $0.apiName == fault.error.apiName }) {
        self[known].legs += legs
      } else {
        append(
          PathFault(apiName: fault.error.apiName, detail: fault.error.description, legs: legs))
      }
    }
  }
}

extension RunPathError {
  /// The name in the API.
  fileprivate var apiName: String {
    switch self {
    case .tooFewPoints: "too few points"
    case .tooManyPoints: "too many points"
    case .legTooLong: "leg too long"
    case .tooLong: "too long"
    }
  }
}
