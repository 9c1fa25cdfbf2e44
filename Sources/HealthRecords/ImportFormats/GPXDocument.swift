import Domain
import Time
import XML

/// Maps the elements of a GPX 1.1 document (DAT-6): each track point with a time becomes a
/// position, and a heart rate if it has one as `gpxtpx:TrackPointExtension/gpxtpx:hr`.
///
/// Way points and routes are plans and not measurements, so they are skipped. Name prefixes are
/// ignored: devices choose their own.
final class GPXDocument: SampleDocument {
  var samples: [Sample] = []
  private(set) var skipped = SkippedRecords()
  let readsText = true
  private let now: Instant

  private enum Field {
    case time
    case heartRate
  }

  /// The depth of the open point, 0 outside of one.
  private var pointDepth = 0
  private var point: GeoPoint?
  private var time: Instant?
  private var heartRate: SampleValue?
  /// The field whose text is being collected, and its depth.
  private var field: (Field, depth: Int)?
  private var text: [UInt8] = []

  /// The maximum number of bytes in a time or a heart rate, including surrounding space.
  private static let textBytesMax = 128

  /// A document read at this server time.
  init(now: Instant) { self.now = now }

  func began(_ element: borrowing XMLElement, depth: Int) -> String? {
    if depth == 1 {
      let isTrack = element.isLocallyNamed("gpx")
      return isTrack ? nil : "The root element is not gpx, so this is not a GPX file."
    }
    if pointDepth == 0 {
      guard element.isLocallyNamed("trkpt") else { return nil }
      guard element.has(.lat), element.has(.lon) else {
        return "A point of a track has no lat or no lon."
      }
      pointDepth = depth
      point = element.with(.lat) { lat in element.with(.lon) { Self.point(lat, $0) } }
      return nil
    }
    if depth == pointDepth + 1, element.isLocallyNamed("time") {
      begin(.time, depth)
    } else if depth > pointDepth + 1, element.isLocallyNamed("hr") {
      begin(.heartRate, depth)
    }
    return nil
  }

  func continued(_ text: Span<UInt8>) {
    guard field != nil else { return }
    for index in text.indices where self.text.count <= Self.textBytesMax {
      self.text.append(text[index])
    }
  }

  func ended(depth: Int) {
    if let (field, fieldDepth) = field, depth == fieldDepth {
      take(field)
      self.field = nil
    } else if depth == pointDepth {
      endPoint()
    }
  }

  private func begin(_ field: Field, _ depth: Int) {
    self.field = (field, depth)
    text.removeAll(keepingCapacity: true)
  }

  private func take(_ field: Field) {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = Array(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    switch field {
    case .time: time = try? Instant(utf8: bytes.span)
    case .heartRate:
      heartRate = try? SampleValue(utf8: bytes.span, of: .heartRate)
      if heartRate == nil { skipped.add("hr".utf8Span.span) }
    }
  }

  private func endPoint() {
    if let point, let time,
      let sample = try? Sample(type: .position, time: time, value: .position(point), now: now)
    {
      samples.append(sample)
    } else {
      skipped.add("trkpt".utf8Span.span)
    }
    if let heartRate, let time,
      let sample = try? Sample(type: .heartRate, time: time, value: heartRate, now: now)
    {
      samples.append(sample)
    } else if heartRate != nil {
      skipped.add("hr".utf8Span.span)
    }
    (pointDepth, point, time, heartRate) = (0, nil, nil, nil)
  }

  private static func point(_ lat: Span<UInt8>, _ lon: Span<UInt8>) -> GeoPoint? {
    var bytes = lat.indices.map { lat[$0] }
    bytes.append(UInt8(ascii: ","))
    for index in lon.indices { bytes.append(lon[index]) }
    return try? GeoPoint(utf8: bytes.span)
  }
}
