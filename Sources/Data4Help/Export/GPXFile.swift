import Domain
import Sharing
import Time

/// Positions as a track (GPX 1.1, https://www.topografix.com/GPX/1/1/), in the order of the input;
/// other samples are skipped.
struct GPXFile: SampleFile {
  func begin(_ bytes: inout [UInt8]) {
    bytes.append(
      contentsOf: """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="TrackMe" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><trkseg>

        """.utf8)
  }

  func add(_ samples: [DeliveredSample], to bytes: inout [UInt8]) {
    for sample in samples {
      guard case .position(let point) = sample.sample.value else { continue }
      var numbers: [UInt8] = []
      point.append(to: &numbers)
      let parts = numbers.split(separator: UInt8(ascii: ","))
      guard parts.count == 2 else { continue }
      bytes.append(contentsOf: "<trkpt lat=\"".utf8)
      bytes.append(contentsOf: parts[0])
      bytes.append(contentsOf: "\" lon=\"".utf8)
      bytes.append(contentsOf: parts[1])
      bytes.append(contentsOf: "\"><time>".utf8)
      sample.sample.time.append(to: &bytes)
      bytes.append(contentsOf: "</time></trkpt>\n".utf8)
    }
  }

  func end(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: "</trkseg></trk>\n</gpx>\n".utf8)
  }
}
