import Domain
import EventLoop
import HTTP
import JSON
import PublicAPI
import Runs
import ServiceKit
import Time
import Web

/// Views of a run for spectators without login (R50, R52, RUN-5 to RUN-7, RUN-11).
struct LiveRoutes: Sendable {
  private let runs: LiveFrames
  private let search: RunnerSearch
  private let links: PublicLinks
  private let loop: EventLoop

  /// Routes of one loop.
  init(_ runs: LiveFrames, search: RunnerSearch, links: PublicLinks, on loop: EventLoop) {
    self.runs = runs
    self.search = search
    self.links = links
    self.loop = loop
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.open(.specifyRun, specify), routes.open(.readPositions, update),
      routes.open(.runPlacings, placings), routes.open(.watchRun, watch),
    ]
  }

  /// - Throws: 401 for a run that is not listed, 503.
  @Sendable private func specify(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: RunBody = try request.payload()
    let frame = try await frame(named: payload.runID)
    return .json { frame.writeSpecification(to: &$0, links) }
  }

  /// - Throws: 401 for a run that is not listed, 429 for too many different questions, 503.
  @Sendable private func update(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: ReadPositionsBody = try request.payload()
    let frame = try await frame(named: payload.runID)
    guard let sought = payload.sought else { return .json(frame.update) }
    let found = try await search.runners(sought, in: frame, for: request, at: loop.now)
    var response = Response.json(frame.update(of: found))
    // Searches are counted against the client, so a shared cache must not answer them.
    response.fields.append(.cacheControl, "no-store")
    return response
  }

  /// - Throws: 404 for a run that is not listed, 503.
  @Sendable private func placings(_ request: Request) async throws(ApplicationError) -> Response {
    .json(try await frame(of: request.query).placingsDocument)
  }

  /// - Throws: 404 for a run that is not listed, 503.
  @Sendable private func watch(_ request: Request) async throws(ApplicationError) -> Response {
    let frame = try await frame(of: request.query)
    guard request.head.method != .head else { return .events { _ in } }
    return try runs.stream(from: frame)
  }

  private func frame(named runID: Int64) async throws(ApplicationError) -> LiveFrame {
    guard let frame = try await runs.frame(of: runID) else {
      throw .wrongRunID("There is no such run in the list.")
    }
    return frame
  }

  private func frame(of query: Query) async throws(ApplicationError) -> LiveFrame {
    guard let runID = query["runID"].flatMap({ Int64($0) }),
      let frame = try await runs.frame(of: runID)
    else { throw .notFound }
    return frame
  }
}

extension LiveFrame {
  /// Writes the run's listed fields and its path.
  fileprivate func writeSpecification(to writer: inout JSONWriter, _ links: PublicLinks) {
    writer.field("runID", row.runID)
    writer.field("code", row.code)
    writer.field("runName", row.name)
    writer.fieldIfPresent("description", row.description)
    writer.fieldIfPresent("place", row.place)
    writer.field("startTime", row.startsAt.description)
    writer.field("endTime", row.endsAt.description)
    writer.field("enrolUntil", row.enrolUntil.description)
    writer.field("participants", row.participantsMax)
    writer.field("enrolled", row.enrolled)
    writer.field("state", state.rawValue)
    writer.field("organiser", row.organiser)
    writer.field("length", (row.lengthMetres * 10).rounded() / 10)
    writer.field("watching", watching)
    writer.fieldIfPresent("clausesVersion", row.clausesVersion)
    if row.hasPicture { writer.field("picture", links.picture(row.code)) }
    writer.raw("path", pathPoints)
  }
}
