import Domain
import JSON
import ServiceKit
import Time

/// A format of the file with the data of a run, runner by runner (RUN-8).
enum RunFile: String, Sendable, CaseIterable {
  /// One line per sample, after a header line (RFC 4180).
  case csv
  /// One JSON object per line.
  case ndjson
  /// One track per runner, with the heart rate at its points (GPX 1.1 with Garmin's
  /// TrackPointExtension v1).
  case gpx

  /// A runner of the run, as the organiser sees them.
  struct Runner: Sendable {
    let number: Int32
    /// The name chosen for this run, if any.
    let name: String?
  }

  var contentType: String {
    switch self {
    case .csv: "text/csv; charset=utf-8"
    case .ndjson: "application/x-ndjson"
    case .gpx: "application/gpx+xml"
    }
  }

  /// The bytes before the runners.
  var head: [UInt8] {
    switch self {
    case .csv: Array("number,runnerName,dataType,value,unit,timestamp\r\n".utf8)
    case .ndjson: []
    case .gpx:
      Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="TrackMe" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">

        """.utf8)
    }
  }

  /// The bytes after the runners.
  var tail: [UInt8] { self == .gpx ? Array("</gpx>\n".utf8) : [] }

  /// The samples of a runner, ordered by time.
  func bytes(of runner: Runner, _ samples: [Sample]) -> [UInt8] {
    var encoder = RunFileEncoder(self, of: runner, samples)
    return encoder.next(bytesMin: .max) ?? []
  }

  fileprivate static func appendRow(_ sample: Sample, of runner: Runner, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "\(runner.number),".utf8)
    if let name = runner.name { CSVField.append(name, to: &bytes) }
    bytes.append(UInt8(ascii: ","))
    CSVField.append(sample.type.name, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    if sample.value.number == nil {
      CSVField.append(sample.value.text(of: sample.type), to: &bytes)
    } else {
      sample.value.append(to: &bytes, of: sample.type)
    }
    bytes.append(UInt8(ascii: ","))
    CSVField.append(sample.type.unit, to: &bytes)
    bytes.append(contentsOf: ",\(sample.time)\r\n".utf8)
  }

  fileprivate static func appendLine(_ sample: Sample, of runner: Runner, to bytes: inout [UInt8]) {
    var writer = JSONWriter(capacity: 140)
    writer.object { writer in
      writer.field("number", runner.number)
      writer.fieldIfPresent("runnerName", runner.name)
      writer.field("dataType", sample.type.name)
      if let number = sample.value.number {
        writer.field("value", number)
      } else {
        writer.field("value", sample.value.text(of: sample.type))
      }
      writer.field("unit", sample.type.unit)
      writer.field("timestamp", sample.time.description)
    }
    bytes.append(contentsOf: writer.bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}

/// Encodes the samples of a runner in pieces, so that an unread file holds few encoded bytes, and
/// the loop serves other connections between two pieces.
struct RunFileEncoder {
  private let file: RunFile
  private let runner: RunFile.Runner
  private let samples: [Sample]
  private var index = 0
  private var isEnded = false
  private var track = RunTrack()

  /// An encoder of samples that are ordered by time.
  init(_ file: RunFile, of runner: RunFile.Runner, _ samples: [Sample]) {
    self.file = file
    self.runner = runner
    self.samples = samples
  }

  /// The next piece, which ends after the sample that reaches `bytesMin`; nil after the last piece.
  mutating func next(bytesMin: Int) -> [UInt8]? {
    guard !isEnded else { return nil }
    var bytes: [UInt8] = []
    if file == .gpx, index == 0 { RunTrack.begin(of: runner, to: &bytes) }
    while index < samples.count, bytes.count < bytesMin {
      switch file {
      case .csv:
        RunFile.appendRow(samples[index], of: runner, to: &bytes)
        index += 1
      case .ndjson:
        RunFile.appendLine(samples[index], of: runner, to: &bytes)
        index += 1
      case .gpx:
        let time = samples[index].time
        let moment = samples[index...].prefix { $0.time == time }
        track.append(moment, to: &bytes)
        index += moment.count
      }
    }
    isEnded = index == samples.count
    if file == .gpx, isEnded { RunTrack.end(to: &bytes) }
    return bytes
  }
}

/// A runner's track in GPX; each point has the latest heart rate of the ten seconds up to its time.
private struct RunTrack {
  private var heartRate: (value: Double, time: Instant)?

  private static let heartRateLasts = 10.0

  static func begin(of runner: RunFile.Runner, to bytes: inout [UInt8]) {
    appendText("<trk><name>\(escaped(runner.name ?? "\(runner.number)"))</name>", to: &bytes)
    appendText("<number>\(runner.number)</number><trkseg>\n", to: &bytes)
  }

  static func end(to bytes: inout [UInt8]) { appendText("</trkseg></trk>\n", to: &bytes) }

  /// Appends the samples of one time.
  mutating func append(_ moment: ArraySlice<Sample>, to bytes: inout [UInt8]) {
    for sample in moment { note(sample) }
    for sample in moment { appendPoint(sample, to: &bytes) }
  }

  private mutating func note(_ sample: Sample) {
    guard sample.type == .heartRate, let rate = sample.value.number else { return }
    heartRate = (rate, sample.time)
  }

  private func appendPoint(_ sample: Sample, to bytes: inout [UInt8]) {
    guard case .position(let point) = sample.value else { return }
    Self.appendText(
      "<trkpt lat=\"\(point.latitude)\" lon=\"\(point.longitude)\"><time>\(sample.time)</time>",
      to: &bytes)
    if let heartRate, sample.time.seconds(since: heartRate.time) <= Self.heartRateLasts {
      Self.appendText(
        "<extensions><gpxtpx:TrackPointExtension>"
          + "<gpxtpx:hr>\(Int(heartRate.value.rounded()))</gpxtpx:hr>"
          + "</gpxtpx:TrackPointExtension></extensions>", to: &bytes)
    }
    Self.appendText("</trkpt>\n", to: &bytes)
  }

  private static func appendText(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Text escaped for XML content.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
