import Cryptography
import Domain
import EventLoop
import HTTP
import Images
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The picture of a run: uploaded by its organiser, shown publicly (R38).
struct PictureRoutes: Sendable {
  private let environment: Environment
  private let database: Database

  /// Routes of one loop.
  init(environment: Environment, database: Database) {
    self.environment = environment
    self.database = database
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [routes.identified(.givePicture, give), routes.open(.runPicture, show)]
  }

  /// - Throws: 400 for a file that is not a picture, 404 for another organiser's run, 409 for a
  ///   cancelled one, 413, 415 for a picture whose format differs from its media type, 503.
  @Sendable private func give(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }) else { throw .notFound }
    // The organiser is checked before the body is read.
    let organised = RunOfOrganiser(runID: runID, thirdParty: caller.account)
    guard try await database.row(organised) != nil else { throw .notFound }
    let picture = try SentPicture(checking: try await request.collectedBody())
    if let said = request.head.fields[.contentType] {
      guard said.lowercased().hasPrefix(picture.kind.mediaType) else {
        throw .unsupportedFormat("The body is \(picture.kind.mediaType); its Content-Type differs.")
      }
    }
    let now = environment.now()
    let store = StorePicture(
      runID: runID, kind: picture.kind.rawValue, bytes: picture.bytes,
      digest: SHA256.digest(of: picture.bytes.span).bytes, now: now)
    try await database.transaction { (transaction) throws(ApplicationError) in
      let (_, rows) = try await transaction.run(HoldRun(runID: runID), organised)
      guard let row = rows.first else { throw .notFound }
      guard row.cancelledAt == nil else { throw .conflict("The run was cancelled.") }
      try await transaction.run(store)
    }
    return .message("Action successful") {
      $0.field("width", picture.width)
      $0.field("height", picture.height)
    }
  }

  /// - Throws: 404 for a code without a listed run that has a picture, 503.
  @Sendable private func show(_ request: Request) async throws(ApplicationError) -> Response {
    let code = RunCode.normalised(request.pathParameters["code"] ?? "")
    guard let digest = try await database.row(PictureDigest(code: code)) else {
      throw .notFound
    }
    let known = try Self.tag(digest)
    if known.isNamed(in: request.head.fields) { return .notModified(known) }
    guard let row = try await database.row(PictureOfRun(code: code)),
      let kind = SentPicture.Kind(rawValue: row.kind)
    else { throw .notFound }
    var response = Response(contentType: kind.mediaType, bytes: row.bytes)
    response.markKept(try Self.tag(row.digest))
    response.fields.append(.contentSecurityPolicy, "default-src 'none'; sandbox")
    return response
  }

  private static func tag(_ digest: [UInt8]) throws(ApplicationError) -> EntityTag {
    EntityTag(
      try mapStorageError { () throws(CryptographyError) in try Digest256(bytes: digest.span) })
  }
}

extension SentPicture {
  /// - Throws: 400 with the change to make, 413.
  fileprivate init(checking file: [UInt8]) throws(ApplicationError) {
    do throws(PictureFault) { try self.init(file) } catch {
      throw error == .tooLarge ? .tooLarge(error.description) : .invalid(error.description)
    }
  }
}
