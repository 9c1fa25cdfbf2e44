/// One file of the pages in memory.
package struct WebFile: Sendable, Equatable {
  /// The value of `Content-Type`.
  package let mediaType: String
  /// The file as it is.
  package let bytes: [UInt8]
  /// The file as gzip; nil if that would not be shorter.
  package let compressed: [UInt8]?

  static let script = "text/javascript; charset=utf-8"
  static let html = "text/html; charset=utf-8"

  init(_ bytes: [UInt8], mediaType: String) {
    self.mediaType = mediaType
    self.bytes = bytes
    guard mediaType != Self.mediaTypes["png"] else {
      compressed = nil
      return
    }
    let compressed = Gzip.bytes(of: bytes)
    self.compressed = compressed.count < bytes.count ? compressed : nil
  }

  /// The media type of an asset by its name; nil for files that browsers do not need.
  static func mediaType(ofAsset path: String) -> String? {
    guard let dot = path.lastIndex(of: "."), !path.hasSuffix(".d.ts") else { return nil }
    return mediaTypes[String(path[path.index(after: dot)...])]
  }

  private static let mediaTypes = [
    "js": script, "css": "text/css; charset=utf-8", "json": "application/json",
    "svg": "image/svg+xml", "png": "image/png", "webmanifest": "application/manifest+json",
  ]
}
