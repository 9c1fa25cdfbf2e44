import Operations
import Webhooks

/// The operator's tile server: its address with `{z}`, `{x}` and `{y}` for zoom, column and row.
package struct TileServer: Sendable {
  private let template: String

  /// Nil for a text without one of the three places, or that is not a URL.
  package init?(_ template: String) {
    guard ["{z}", "{x}", "{y}"].allSatisfy(template.contains) else { return nil }
    self.template = template
    guard let first = TileAddress(zoom: 0, column: 0, row: 0), url(of: first) != nil else {
      return nil
    }
  }

  /// The URL of a tile; nil only if it is longer than a URL may be.
  func url(of address: TileAddress) -> CallbackURL? {
    CallbackURL(
      template.replacing("{z}", with: "\(address.zoom)")
        .replacing("{x}", with: "\(address.column)")
        .replacing("{y}", with: "\(address.row)"))
  }
}

extension TileServer {
  /// The configured tile server; nil if the operator has none.
  ///
  /// - Throws: `SettingsError` for an address without its places, and for one of the two settings
  ///   without the other: no tile may be shown without the note on its rights.
  package static func configured(_ settings: Settings) throws(SettingsError) -> TileServer? {
    let address = try settings.optional(SettingTable.tilesURL)
    let attribution = try settings.optional(SettingTable.tilesAttribution)
    guard let address else {
      guard attribution == nil else { throw missing(SettingTable.tilesURL.definition) }
      return nil
    }
    guard attribution != nil else { throw missing(SettingTable.tilesAttribution.definition) }
    guard let server = TileServer(address.revealed) else {
      throw .badValue(
        name: "TRACKME_TILES_URL", expectation: "a URL that contains {z}, {x} and {y}",
        shown: "\(address)")
    }
    return server
  }

  private static func missing(_ definition: SettingDefinition) -> SettingsError {
    .missing(name: definition.name, meaning: definition.meaning)
  }
}
