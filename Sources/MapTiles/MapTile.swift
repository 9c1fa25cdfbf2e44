import PublicAPI
import ServiceKit

/// The place of a tile: its zoom, and its column and row from the north-west among 2^zoom of each.
package struct TileAddress: Hashable, Sendable {
  let zoom: Int
  let column: Int
  let row: Int

  /// Nil for a place outside the world, and for a zoom that no map has.
  package init?(zoom: Int, column: Int, row: Int) {
    guard (0...Endpoint.tileZoomMax).contains(zoom) else { return nil }
    let size = 1 << zoom
    guard (0..<size).contains(column), (0..<size).contains(row) else { return nil }
    self.zoom = zoom
    self.column = column
    self.row = row
  }
}

/// One tile, as the tile server sent it.
package struct MapTile: Sendable, Equatable {
  /// The picture.
  package let bytes: [UInt8]
  /// The media type that its first bytes show.
  package let mediaType: String
  /// The version for clients that keep it.
  package let tag: EntityTag

  /// Nil for bytes that are not a PNG, JPEG or WebP. The media type that a server states is not
  /// trusted: a document of a script's type must not leave this origin.
  package init?(_ bytes: [UInt8]) {
    guard let mediaType = Self.mediaType(of: bytes) else { return nil }
    self.bytes = bytes
    self.mediaType = mediaType
    tag = EntityTag(of: bytes)
  }

  private static func mediaType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    // RFC 9649, 2.4: RIFF, four bytes of size, WEBP.
    let isWebP =
      bytes.starts(with: Array("RIFF".utf8))
      && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
    return isWebP ? "image/webp" : nil
  }
}
