import Domain
import XML

/// Reads the path of a run from a GPX file, 1.0 or 1.1: the first track with points, over all its
/// segments, or, without a track, the first route with points. Waypoints are ignored.
///
/// Namespace prefixes are ignored: programs choose their own.
package final class GPXPath: XMLDocument {
  /// The attributes of a point.
  package let attributes: [StaticString] = ["lat", "lon"]
  /// Text content is ignored.
  package let readsText = false
  private static let lat = XMLElement.Attribute(0)
  private static let lon = XMLElement.Attribute(1)

  /// The largest size of a file, in bytes.
  package static let bytesMax = 4 * 1024 * 1024
  private static let limits = XMLLimits(documentBytesMax: bytesMax, elementsMax: 1_000_000)
  private static let pieceBytes = 32 * 1024

  private var track: [GeoPoint] = []
  private var route: [GeoPoint] = []
  private var isAfterTrack = false
  private var isAfterRoute = false

  private init() {}

  /// The points of a file in their order; possibly none.
  ///
  /// - Throws: `XMLFault` for a file that is not GPX, has a point without valid coordinates, or has
  ///   more points than a path may have.
  package static func points(of file: [UInt8]) throws(XMLFault) -> [GeoPoint] {
    let path = GPXPath()
    guard let parser = XMLPushParser(path, within: limits, pieceBytes: pieceBytes) else {
      throw XMLFault(line: 1, column: 1, "There is not enough memory to read the file.")
    }
    try parser.feed(file.span)
    try parser.finish()
    return path.track.isEmpty ? path.route : path.track
  }

  /// Collects points of the first track and of the first route.
  package func began(_ element: borrowing XMLElement, depth: Int) -> String? {
    if depth == 1 {
      return element.isLocallyNamed("gpx")
        ? nil : "The root element is not gpx, so this is not a GPX file."
    }
    if depth == 2, element.isLocallyNamed("trk") {
      isAfterTrack = !track.isEmpty
    } else if depth == 2, element.isLocallyNamed("rte") {
      isAfterRoute = !route.isEmpty
    } else if element.isLocallyNamed("trkpt") {
      return isAfterTrack ? nil : Self.add(element, to: &track)
    } else if element.isLocallyNamed("rtept") {
      return isAfterRoute ? nil : Self.add(element, to: &route)
    }
    return nil
  }

  /// Ignores text.
  package func continued(_ text: Span<UInt8>) {}

  /// Ignores the end of an element.
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
      case .malformed: return "A lat and a lon are decimal degrees, such as 45.4781."
      case .outOfRange: return error.description
      }
    }
  }

  /// Appends a number without the surrounding spaces and the plus sign that XML allows.
  private static func append(_ number: Span<UInt8>, to text: inout [UInt8]) {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    var bytes = number.indices.map { number[$0] }.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    text += bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
  }
}
