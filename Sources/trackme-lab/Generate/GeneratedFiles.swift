import Domain
import Time

/// A generated file for trying an import, in pieces; the same for the same seed and size.
package protocol GeneratedFile {
  /// The next piece, nil after the last.
  mutating func next() -> [UInt8]?
}

extension AppleHealthExport: GeneratedFile {}

/// A generated JSON export of Health Auto Export: heart rates and steps per minute, a weight, a
/// blood pressure, and a metric that the import ignores. It contains no personal data.
package struct HealthAutoExportFile: GeneratedFile {
  private let bytesAim: Int
  private var random: DeterministicRandom
  private var clock = ExportClock()
  private var written = 0
  private var time = ExportFrame.exportedAt - 360 * 86_400
  private var isBegun = false
  private var isInSteps = false
  private var isEnded = false

  /// An export of about this many bytes.
  package init(bytes: Int, seed: UInt64) {
    bytesAim = bytes
    random = DeterministicRandom(seed: seed)
  }

  /// The next piece, nil after the last.
  package mutating func next() -> [UInt8]? {
    guard !isEnded else { return nil }
    var bytes: [UInt8] = []
    if !isBegun {
      isBegun = true
      appendBeginning(to: &bytes)
    }
    while bytes.count < AppleHealthExport.pieceBytes, written + bytes.count < bytesAim {
      if !isInSteps, 2 * (written + bytes.count) > bytesAim { beginSteps(&bytes) }
      appendPoint(to: &bytes)
    }
    if written + bytes.count >= bytesAim {
      isEnded = true
      if !isInSteps { beginSteps(&bytes) }
      appendDate(to: &bytes)
      bytes.append(",\"qty\":7}]}],\"workouts\":[]}}\n")
    }
    written += bytes.count
    return bytes
  }

  private mutating func appendBeginning(to bytes: inout [UInt8]) {
    // The name follows the points, as in files of the app.
    bytes.append("{\"data\":{\"metrics\":[{\"units\":\"lb\",\"data\":[")
    appendDate(to: &bytes)
    bytes.append(",\"qty\":154.3,\"source\":\"Scale\"}],\"name\":\"weight_body_mass\"},")
    bytes.append("{\"name\":\"blood_pressure\",")
    bytes.append("\"units\":\"mmHg\",\"data\":[")
    appendDate(to: &bytes)
    bytes.append(",\"systolic\":121,\"diastolic\":79}]},{\"name\":\"vo2_max\",\"units\":\"ml\",")
    bytes.append("\"data\":[")
    appendDate(to: &bytes)
    bytes.append(",\"qty\":41}]},{\"name\":\"heart_rate\",\"units\":\"count\\/min\",\"data\":[")
    appendDate(to: &bytes)
    bytes.append(",\"Min\":58,\"Avg\":61.5,\"Max\":66}")
  }

  private mutating func beginSteps(_ bytes: inout [UInt8]) {
    isInSteps = true
    time = ExportFrame.exportedAt - 360 * 86_400
    bytes.append("]},{\"name\":\"step_count\",\"units\":\"count\",\"data\":[")
  }

  private mutating func appendPoint(to bytes: inout [UInt8]) {
    if isInSteps {
      appendDate(to: &bytes)
      bytes.append(",\"qty\":\(random.whole(0...140)),\"source\":\"Giulia’s Phone\"},")
    } else {
      bytes.append(",\n")
      appendDate(to: &bytes)
      let rate = random.whole(55...150)
      bytes.append(",\"Min\":\(rate - 3),\"Avg\":\(rate).5,\"Max\":\(rate + 4)}")
    }
  }

  private mutating func appendDate(to bytes: inout [UInt8]) {
    time += 60
    bytes.append("{\"date\":\"")
    clock.append(time, to: &bytes)
    bytes.append("\"")
  }
}

/// A generated GPX 1.1 track with heart rates, one point per second. It contains no personal data.
package struct GPXTrack: GeneratedFile {
  private let bytesAim: Int
  private var random: DeterministicRandom
  private var written = 0
  private var time = ExportFrame.exportedAt - 360 * 86_400
  private var latitude = 454_642_000
  private var longitude = 91_900_000
  private var isEnded = false

  /// A track of about this many bytes.
  package init(bytes: Int, seed: UInt64) {
    bytesAim = bytes
    random = DeterministicRandom(seed: seed)
  }

  /// The next piece, nil after the last.
  package mutating func next() -> [UInt8]? {
    guard !isEnded else { return nil }
    var bytes: [UInt8] = []
    if written == 0 {
      bytes.append(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="trackme" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
        <metadata><time>2026-03-01T07:00:00Z</time></metadata>
        <wpt lat="45.46" lon="9.19"><name>Home</name></wpt>
        <trk><name>A long run</name><trkseg>

        """)
    }
    repeat {
      appendPoint(to: &bytes)
    } while bytes.count < AppleHealthExport.pieceBytes
      && written + bytes.count < bytesAim
    if written + bytes.count >= bytesAim {
      isEnded = true
      bytes.append("</trkseg></trk>\n</gpx>\n")
    }
    written += bytes.count
    return bytes
  }

  private mutating func appendPoint(to bytes: inout [UInt8]) {
    time += 1
    latitude += random.whole(-300...300)
    longitude += random.whole(-300...300)
    bytes.append("<trkpt lat=\"\(Self.degrees(latitude))\" lon=\"\(Self.degrees(longitude))\">")
    bytes.append("<ele>\(random.whole(110...140))</ele><time>\(Self.text(time))</time>")
    bytes.append("<extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>")
    bytes.append("\(random.whole(90...175))")
    bytes.append("</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>\n")
  }

  private static func degrees(_ value: Int) -> String {
    let text = "\(value)"
    return "\(text.dropLast(7)).\(text.suffix(7))"
  }

  private static func text(_ seconds: Int64) -> String {
    Instant(millisecondsSince1970: seconds * 1_000).description
  }
}
