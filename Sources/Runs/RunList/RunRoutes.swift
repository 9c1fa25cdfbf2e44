import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The public list of runs (R43, R51).
package struct RunRoutes: Sendable {
  private let database: Database
  private let endpoints: EndpointRoutes
  private let environment: Environment
  private let links: PublicLinks
  private let answers: LoopBound<SharedAnswers>

  /// Creates the routes of one loop that read this database.
  package init(
    database: Database, endpoints: EndpointRoutes, environment: Environment, links: PublicLinks,
    on loop: EventLoop
  ) {
    self.database = database
    self.endpoints = endpoints
    self.environment = environment
    self.links = links
    answers = LoopBound(SharedAnswers(), on: loop)
  }

  /// The routes.
  package var routes: [Route] {
    [endpoints.open(.listRuns, list)]
  }

  /// The default radius around `near`, in metres.
  fileprivate static let radiusUsual = 10_000.0
  /// The usual size of a run in the list, in bytes.
  private static let runBytes = 400

  /// Many clients request the list at once, especially before a run: equal requests share an
  /// answer.
  private func list(_ request: Request) async throws(ApplicationError) -> Response {
    let query = request.query
    let question = Array(request.head.query ?? [])
    let answer = try await answers.value.answer(to: question) { () async throws(ApplicationError) in
      try await page(query)
    }
    return .json(answer)
  }

  private func page(_ query: Query) async throws(ApplicationError) -> [UInt8] {
    let now = environment.now()
    var statement = PublishedRuns()
    statement.code = query["code"].map(RunCode.normalised)
    statement.namePattern = query["name"].map(Self.pattern)
    statement.placePattern = query["place"].map(Self.pattern)
    try statement.restrict(near: query)
    statement.restrict(to: query["state"].flatMap { RunState(rawValue: $0) }, now: now)
    let page = try await RunListPage(of: statement, query, from: database)
    var writer = JSONWriter(capacity: 64 + Self.runBytes * page.runs.count)
    writer.object { writer in
      writer.array("run") { for run in page.runs { run.write(to: &$0, links, now: now) } }
      page.writeNext(to: &writer)
    }
    return writer.bytes
  }

  /// A pattern that matches the text anywhere in a name; its own wildcards are escaped.
  static func pattern(_ text: String) -> String {
    var escaped = "%"
    for character in text {
      if character == "%" || character == "_" || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped + "%"
  }
}

extension PublishedRuns {
  fileprivate mutating func restrict(near query: Query) throws(ApplicationError) {
    guard let text = query["near"] else {
      guard query["radius"] == nil else {
        throw .invalid("A radius needs `near`, its centre.", field: "radius")
      }
      return
    }
    do throws(GeoPointError) {
      let point = try GeoPoint(text)
      latitude = point.latitude
      longitude = point.longitude
    } catch {
      throw .invalid(error, field: "near")
    }
    radius = query["radius"].flatMap { Double($0) } ?? RunRoutes.radiusUsual
  }

  fileprivate mutating func restrict(to state: RunState?, now: Instant) {
    switch state {
    case nil: break
    case .open: startsAfter = now
    case .live: (startsUntil, endsAfter) = (now, now)
    case .ended: endsUntil = now
    }
  }
}
