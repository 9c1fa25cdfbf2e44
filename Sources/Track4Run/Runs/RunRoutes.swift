import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// The public list of runs (R43, R51).
package struct RunRoutes: Sendable {
  private let database: Database
  private let endpoints: EndpointRoutes
  private let world: World
  private let links: PublicLinks

  /// Routes that read this database.
  package init(
    database: Database, endpoints: EndpointRoutes, world: World, links: PublicLinks
  ) {
    self.database = database
    self.endpoints = endpoints
    self.world = world
    self.links = links
  }

  /// The routes.
  package var routes: [Route] {
    [endpoints.open(.listRuns, list)]
  }

  /// Metres around `near` where no radius is given.
  fileprivate static let radiusUsual = 10_000.0

  private func list(_ request: Request) async throws(Problem) -> Response {
    let now = world.now()
    var statement = PublishedRuns()
    statement.code = request.query["code"].map(RunCode.normalised)
    statement.namePattern = request.query["name"].map(Self.pattern)
    statement.placePattern = request.query["place"].map(Self.pattern)
    try statement.restrict(near: request.query)
    statement.restrict(to: request.query["state"].flatMap { RunState(rawValue: $0) }, now: now)
    let page = try await RunListPage(of: statement, request.query, from: database)
    return .json { writer in
      writer.array("run") { for run in page.runs { run.write(to: &$0, links, now: now) } }
      page.writeNext(to: &writer)
    }
  }

  /// A pattern that finds the text anywhere in a name, its own wildcards taken literally.
  private static func pattern(_ text: String) -> String {
    var escaped = "%"
    for character in text {
      if character == "%" || character == "_" || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped + "%"
  }
}

extension PublishedRuns {
  fileprivate mutating func restrict(near query: Query) throws(Problem) {
    guard let text = query["near"] else {
      guard query["radius"] == nil else {
        throw .malformed("A radius needs near, the point it is around.", field: "radius")
      }
      return
    }
    do throws(GeoPointError) {
      let point = try GeoPoint(text)
      latitude = point.latitude
      longitude = point.longitude
    } catch {
      throw .malformed(error, field: "near")
    }
    radius = query["radius"].flatMap { Double($0) } ?? RunRoutes.radiusUsual
  }

  fileprivate mutating func restrict(to state: RunState?, now: WallTime) {
    switch state {
    case nil: break
    case .open: startsAfter = now
    case .live: (startsUntil, endsAfter) = (now, now)
    case .ended: endsUntil = now
    }
  }
}
