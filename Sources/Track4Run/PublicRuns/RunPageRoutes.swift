import Domain
import EventLoop
import HTTP
import Postgres
import PublicAPI
import Services

/// The public page of a run, and the picture for previews of its link (RUN-10).
struct RunPageRoutes: Sendable {
  private let surroundings: RunSurroundings
  private let live: LiveRuns?

  /// Routes of one loop; `live` has the frames of current runs.
  init(_ surroundings: RunSurroundings, live: LiveRuns?) {
    self.surroundings = surroundings
    self.live = live
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = surroundings.routes
    return [routes.open(.runPage, page), routes.open(.runPreview, preview)]
  }

  /// Answers unknown codes with a page of its own.
  ///
  /// - Throws: 503.
  @Sendable private func page(_ request: Request) async throws(ApplicationError) -> Response {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let run = try await surroundings.database.row(PublicRunByCode(code: code)) else {
      return RunPage.unknown
    }
    let rows = try await surroundings.database.rows(PublicResults(runID: run.runID))
    let shared = try await sharedResult(request.query, in: run, among: rows)
    var page = RunPage(
      run: run, results: rows.map { result($0, in: run) },
      shared: shared.map { result($0, in: run) }, links: surroundings.links,
      zone: surroundings.zone, now: surroundings.world.now())
    if request.query["watch"] != nil, let frame = try await live?.frame(of: run.runID) {
      page.live = RunPage.Live(frame)
    }
    return page.response(to: request)
  }

  /// The result named by a link; nil if it names none.
  private func sharedResult(
    _ query: Query, in run: PublicRun, among rows: [PublicResult]
  ) async throws(ApplicationError) -> PublicResult? {
    guard let number = query["runner"].flatMap({ Int32($0) }) else { return nil }
    if let row = rows.first(where: { $0.number == number }) { return row }
    return try await surroundings.database.row(
      PublicResultOfRunner(runID: run.runID, number: number))
  }

  private func result(_ row: PublicResult, in run: PublicRun) -> RunPage.Result {
    let name = surroundings.runnerNames.opened(
      row.sealedName, in: run.runID, of: row.account, number: row.number)
    return RunPage.Result(row, name: name, startedAt: run.startsAt)
  }

  /// - Throws: 404 for a code without a listed run, 503.
  @Sendable private func preview(_ request: Request) async throws(ApplicationError) -> Response {
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
    // If the path was replaced in between, the new one is drawn, and its tag differs next time.
    return Self.picture(surroundings.previews.value.png(tag, of: stored.path), tag)
  }

  private static func picture(_ png: [UInt8], _ tag: EntityTag) -> Response {
    var response = Response(contentType: "image/png", bytes: png)
    response.markKept(tag)
    response.fields.append(.contentSecurityPolicy, "default-src 'none'; sandbox")
    return response
  }
}
