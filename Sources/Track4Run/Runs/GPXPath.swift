import Domain
import XML

/// Reads the path of a run from a GPX file, 1.0 or 1.1: the first track that has points, over all
/// its segments, or, where there is no track, the first such route. Way points are not on the path.
///
/// Prefixes of names are not looked at: programs choose their own.
package final class GPXPath: XMLDocument {
  /// Those of a point.
  package let attributes: [StaticString] = ["lat", "lon"]
  /// No text is.
  package let readsText = false
  private static let lat = XMLElement.Attribute(0)
  private static let lon = XMLElement.Attribute(1)

  /// Bytes of a file at most.
  package static let bytesMax = 4 * 1024 * 1024
  private static let limits = XMLLimits(documentBytesMax: bytesMax, elementsMax: 1_000_000)
  private static let pieceBytes = 32 * 1024

  private var track: [GeoPoint] = []
  private var route: [GeoPoint] = []
  private var isBehindTrack = false
  private var isBehindRoute = false

  private init() {}

  /// The points of a file in their order, of which there may be none.
  ///
  /// - Throws: `XMLFault` for what is no GPX, or has a point without a coordinate of the earth or
  ///   more points than a path has.
  package static func points(of file: [UInt8]) throws(XMLFault) -> [GeoPoint] {
    let path = GPXPath()
    guard let parser = XMLPushParser(path, within: limits, pieceBytes: pieceBytes) else {
      throw XMLFault(line: 1, column: 1, "There is no memory to read it with.")
    }
    try parser.feed(file.span)
    try parser.finish()
    return path.track.isEmpty ? path.route : path.track
  }

  /// Takes points of the first track and of the first route.
  package func began(_ element: borrowing XMLElement, depth: Int) -> String? {
    if depth == 1 {
      return element.isLocallyNamed("gpx")
        ? nil : "The root element is not gpx, so this is no GPX file."
    }
    if depth == 2, element.isLocallyNamed("trk") {
      isBehindTrack = !track.isEmpty
    } else if depth == 2, element.isLocallyNamed("rte") {
      isBehindRoute = !route.isEmpty
    } else if element.isLocallyNamed("trkpt") {
      return isBehindTrack ? nil : Self.add(element, to: &track)
    } else if element.isLocallyNamed("rtept") {
      return isBehindRoute ? nil : Self.add(element, to: &route)
    }
    return nil
  }

  /// Passes it over.
  package func continued(_ text: Span<UInt8>) {}

  /// Passes it over.
  package func ended(depth: Int) {}

  private static func add(
    _ element: borrowing XMLElement, to points: inout [GeoPoint]
  ) -> String? {
    guard points.count < RunPath.pointsMax else { return RunPathError.tooManyPoints.description }
    guard element.has(lat), element.has(lon) else { return "A point has no lat or no lon." }
    var text: [UInt8] = []
    element.with(lat) { append($0, to: &text) }
    text.append(UInt8(ascii: ","))
    element.with(lon) { append($0, to: &text) }
    do throws(GeoPointError) {
      points.append(try GeoPoint(utf8: text.span))
      return nil
    } catch {
      switch error {
      case .malformed: return "A lat and a lon are decimal degrees, as 45.4781."
      case .outOfRange: return error.description
      }
    }
  }

  /// Adds a number without the spaces around it and the plus that XML allows.
  private static func append(_ number: Span<UInt8>, to text: inout [UInt8]) {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    var bytes = number.indices.map { number[$0] }.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    text += bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
  }
}
