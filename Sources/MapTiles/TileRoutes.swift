import HTTP
import PublicAPI
import ServiceKit
import Web

/// The route of map tiles.
package struct TileRoutes: Sendable {
  /// Browsers keep a tile for a day without asking.
  private static let caching = "public, max-age=86400"
  private let tiles: MapTiles?

  /// Without tiles each is 404.
  package init(_ tiles: MapTiles?) { self.tiles = tiles }

  /// The rows of the route table.
  package var routes: [Route] { [EndpointRoutes().open(.mapTile, show)] }

  /// - Throws: 404 for a tile outside the world, otherwise the errors of `MapTiles.tile`.
  @Sendable private func show(_ request: Request) async throws(ApplicationError) -> Response {
    guard let tiles else { throw .notFound("This installation has no tile server.") }
    let parts = ["z", "x", "y"].compactMap { request.pathParameters[$0].flatMap { Int($0) } }
    guard parts.count == 3,
      let address = TileAddress(zoom: parts[0], column: parts[1], row: parts[2])
    else { throw .notFound("At this zoom the world has no such tile.") }
    let tile = try await tiles.tile(at: address)
    let isKnown = tile.tag.isNamed(in: request.head.fields)
    var response =
      isKnown ? Response(.notModified) : Response(contentType: tile.mediaType, bytes: tile.bytes)
    response.fields.append(.etag, tile.tag.text)
    response.fields.append(.cacheControl, Self.caching)
    if !isKnown { response.fields.append(.contentSecurityPolicy, "default-src 'none'; sandbox") }
    return response
  }
}
