import Domain
import EventLoop
import HTTP
import Postgres
import PublicAPI
import Services

/// The page of a run for everybody, and the picture that previews of its link show (RUN-10).
struct RunPageRoutes: Sendable {
  private let surroundings: RunSurroundings

  /// Routes of one loop.
  init(_ surroundings: RunSurroundings) { self.surroundings = surroundings }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = surroundings.routes
    return [routes.open(.runPage, page), routes.open(.runPreview, preview)]
  }

  /// A page of its own says that there is no such run.
  ///
  /// - Throws: 503.
  @Sendable private func page(_ request: Request) async throws(Problem) -> Response {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let run = try await surroundings.database.row(PublicRunByCode(code: code)) else {
      return RunPage.unknown
    }
    let rows = try await surroundings.database.rows(PublicResults(runID: run.runID))
    let results = rows.map { row in
      let name = surroundings.runnerNames.opened(
        row.sealedName, in: run.runID, of: row.account, number: row.number)
      return RunPage.Result(row, name: name, startedAt: run.startsAt)
    }
    let page = RunPage(
      run: run, results: results, links: surroundings.links, zone: surroundings.zone,
      now: surroundings.world.now())
    return page.response(to: request)
  }

  /// - Throws: 404 for a code that no listed run has, 503.
  @Sendable private func preview(_ request: Request) async throws(Problem) -> Response {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let row = try await surroundings.database.row(PublicPathDigest(code: code)) else {
      throw .notFound
    }
    let tag = row.tag
    if tag.isNamed(in: request.head.fields) { return .notModified(tag) }
    if let known = surroundings.previews.value[tag] { return Self.picture(known, tag) }
    guard let stored = try await surroundings.database.row(PathOfRun(runID: row.runID)) else {
      throw .notFound
    }
    // A path that was replaced meanwhile is drawn, and stands under its own tag next time.
    return Self.picture(surroundings.previews.value.png(tag, of: stored.path), tag)
  }

  private static func picture(_ png: [UInt8], _ tag: EntityTag) -> Response {
    var response = Response(contentType: "image/png", bytes: png)
    response.markKept(tag)
    response.fields.append(.contentSecurityPolicy, "default-src 'none'; sandbox")
    return response
  }
}
