import HTTP

extension Endpoint {
  /// The background of maps.
  static let mapTiles: [Endpoint] = [.mapTile]

  /// The highest zoom of a map tile: about 0.3 m a pixel at the equator.
  package static let tileZoomMax = 19

  /// A tile of the maps.
  package static let mapTile = Endpoint.get(
    "/t4r/tiles/{z}/{x}/{y}", "mapTile", at: .track4run, for: .anyone,
    "A tile of the maps in Web Mercator, fetched by TrackMe, so that no tile server learns "
      + "which place somebody looks at.",
    in: [
      PathParameter("z", .integer(0...tileZoomMax), "The zoom: 2^z columns and rows."),
      PathParameter("x", .integer(0...(1 << tileZoomMax) - 1), "The column from the west."),
      PathParameter("y", .integer(0...(1 << tileZoomMax) - 1), "The row from the north."),
    ],
    answers: [
      .other("image/png", "The tile, as PNG."), .other("image/jpeg", "The same as JPEG."),
      .other("image/webp", "The same as WebP."), .notModified,
    ],
    errors: [
      ErrorAnswer(
        .notFound, "Not found",
        "There is no such tile, or the operator has configured no tile server.")
    ])
}
