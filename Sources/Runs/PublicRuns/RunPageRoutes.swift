import Domain
import EventLoop
import HTTP
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The public page of a run, and the picture for previews of its link (RUN-10).
struct RunPageRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let zone: TimeZoneRules
  private let links: PublicLinks
  private let runnerNames: RunnerNames
  private let previews: LoopBound<CoursePreviews>
  private let live: RunPage.LiveReader

  /// Routes of one loop; `live` reads current runs.
  init(
    environment: Environment, database: Database, zone: TimeZoneRules, links: PublicLinks,
    runnerNames: RunnerNames, live: @escaping RunPage.LiveReader
  ) {
    self.environment = environment
    self.database = database
    self.zone = zone
    self.links = links
    self.runnerNames = runnerNames
    self.live = live
    previews = LoopBound(CoursePreviews(), on: database.loop)
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [routes.open(.runPage, page), routes.open(.runPreview, preview)]
  }

  /// Answers unknown codes with a separate page.
  ///
  /// - Throws: 503.
  @Sendable private func page(_ request: Request) async throws(ApplicationError) -> Response {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let run = try await database.row(PublicRunByCode(code: code)) else {
      return RunPage.unknown
    }
    let rows = try await database.rows(PublicResults(runID: run.runID))
    let shared = try await sharedResult(request.query, in: run, among: rows)
    var page = RunPage(
      run: run, results: rows.map { result($0, in: run) },
      shared: shared.map { result($0, in: run) }, links: links, zone: zone, now: environment.now())
    if request.query["watch"] != nil { page.live = try await live(run.runID) }
    return page.response(to: request)
  }

  /// The result named by a link; nil if it names none.
  private func sharedResult(
    _ query: Query, in run: PublicRun, among rows: [PublicResult]
  ) async throws(ApplicationError) -> PublicResult? {
    guard let number = query["runner"].flatMap({ Int32($0) }) else { return nil }
    if let row = rows.first(where: { $0.number == number }) { return row }
    return try await database.row(
      PublicResultOfRunner(runID: run.runID, number: number))
  }

  private func result(_ row: PublicResult, in run: PublicRun) -> RunPage.Result {
    let name = runnerNames.opened(
      row.sealedName, in: run.runID, of: row.account, number: row.number)
    return RunPage.Result(row, name: name, startedAt: run.startsAt)
  }

  /// - Throws: 404 for a code without a listed run, 503.
  @Sendable private func preview(_ request: Request) async throws(ApplicationError) -> Response {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let row = try await database.row(PublicPathDigest(code: code)) else {
      throw .notFound
    }
    let tag = row.tag
    if tag.isNamed(in: request.head.fields) { return .notModified(tag) }
    if let known = previews.value[tag] { return Self.picture(known, tag) }
    guard let stored = try await database.row(PathOfRun(runID: row.runID)) else {
      throw .notFound
    }
    // If the path was replaced in between, the new one is drawn, and its tag differs next time.
    return Self.picture(previews.value.png(tag, of: stored.path), tag)
  }

  private static func picture(_ png: [UInt8], _ tag: EntityTag) -> Response {
    var response = Response(contentType: "image/png", bytes: png)
    response.markKept(tag)
    response.fields.append(.contentSecurityPolicy, "default-src 'none'; sandbox")
    return response
  }
}
