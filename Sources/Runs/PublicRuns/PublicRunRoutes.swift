import Domain
import EventLoop
import HTTP
import Images
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The public view of a run by its code, and its QR code (RUN-4).
struct PublicRunRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let links: PublicLinks

  /// Routes of one loop.
  init(environment: Environment, database: Database, links: PublicLinks) {
    self.environment = environment
    self.database = database
    self.links = links
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.open(.showRun, show), routes.open(.runQRCode, qrCode),
      routes.open(.runClauses, clauses),
    ]
  }

  /// - Throws: 404 for a code without a listed run, 500 for a stored path without an end, 503.
  @Sendable private func show(_ request: Request) async throws(ApplicationError) -> Response {
    let run = try await run(of: request)
    let end = try run.endPoint()
    return .json { run.write(to: &$0, end, links, now: environment.now()) }
  }

  /// - Throws: as `show`.
  @Sendable private func qrCode(_ request: Request) async throws(ApplicationError) -> Response {
    let run = try await run(of: request)
    guard let symbol = QRSymbol(links.run(run.code)) else {
      throw .internalError(because: "The public address is too long for a QR code.")
    }
    var response = Response(contentType: "image/svg+xml", bytes: Array(symbol.svg.utf8))
    response.fields.append(.contentSecurityPolicy, "default-src 'none'; sandbox")
    return response
  }

  /// - Throws: 404 for a run that is not listed, or without such clauses, 503.
  @Sendable private func clauses(_ request: Request) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }) else { throw .notFound }
    let version = request.query["version"].flatMap { Int32($0) }
    guard let row = try await database.row(ClausesOfListedRun(runID: runID, version: version))
    else { throw .notFound }
    return .json { writer in
      writer.field("runID", runID)
      writer.field("version", row.version)
      writer.field("text", row.text)
      writer.field("since", row.madeAt.description)
    }
  }

  /// The run named by the request's path.
  private func run(of request: Request) async throws(ApplicationError) -> PublicRun {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let run = try await database.row(PublicRunByCode(code: code)) else {
      throw .notFound
    }
    return run
  }
}

extension PublicRun {
  fileprivate func endPoint() throws(ApplicationError) -> GeoPoint {
    do throws(GeoPointError) {
      return try GeoPoint(latitude: endLatitude, longitude: endLongitude)
    } catch {
      throw .internalError(because: "The stored path of a listed run has no valid end.")
    }
  }

  /// Writes the fields of `GET /t4r/run/{code}`.
  fileprivate func write(
    to writer: inout JSONWriter, _ end: GeoPoint, _ links: PublicLinks, now: Instant
  ) {
    writer.field("runID", runID)
    writer.field("code", code)
    writer.field("runName", name)
    if let description { writer.field("description", description) }
    if let place { writer.field("place", place) }
    writer.field("organiser", organiser)
    writer.field("startTime", startsAt.description)
    writer.field("endTime", endsAt.description)
    writer.field("enrolUntil", enrolUntil.description)
    writer.field("endPoint", end.text)
    writer.field("length", Int(lengthMetres.rounded()))
    writer.field("participants", participantsMax)
    writer.field("enrolled", enrolled)
    writer.field("state", state(at: now).rawValue)
    writer.field("link", links.run(code))
    writer.field("qrCode", links.qrCode(code))
    if hasPicture { writer.field("picture", links.picture(code)) }
    writer.fieldIfPresent("clausesVersion", clausesVersion)
    writer.fieldIfPresent("clauses", clauses)
  }
}
