import Domain
import JSON

/// A form in which samples are written to a file, batch by batch.
///
/// What it holds between batches is bounded by a batch, so that a file of any length takes the
/// memory of one.
protocol SampleFile: Sendable {
  /// Adds what stands in front of the samples.
  mutating func begin(_ bytes: inout [UInt8])
  /// Adds the next samples, in the order of their numbers.
  mutating func add(_ samples: [DeliveredSample], to bytes: inout [UInt8])
  /// Adds what stands behind the samples.
  mutating func end(_ bytes: inout [UInt8])
}

/// A form in which the samples of a request leave as one file.
protocol Download: SampleFile {
  /// How the record of accesses names it.
  static var format: AccessFormat { get }
  static var contentType: String { get }
  /// The end of the file's name, without the dot.
  static var suffix: String { get }
}

extension Download {
  /// The whole file of samples that fit into one batch.
  func whole(_ samples: [DeliveredSample]) -> [UInt8] {
    var form = self
    var bytes: [UInt8] = []
    form.begin(&bytes)
    form.add(samples, to: &bytes)
    form.end(&bytes)
    return bytes
  }
}

/// A line a sample, below a header line (RFC 4180).
struct CSVDownload: Download {
  static let format = AccessFormat.csv
  static let contentType = "text/csv; charset=utf-8"
  static let suffix = "csv"

  func begin(_ bytes: inout [UInt8]) { bytes.append(contentsOf: DeliveredSample.headerRow) }

  func add(_ samples: [DeliveredSample], to bytes: inout [UInt8]) {
    for sample in samples { sample.appendRow(to: &bytes) }
  }

  func end(_ bytes: inout [UInt8]) {}
}

/// A line a sample, each the object of the JSON page.
struct NDJSONDownload: Download {
  static let format = AccessFormat.ndjson
  static let contentType = "application/x-ndjson"
  static let suffix = "ndjson"

  func begin(_ bytes: inout [UInt8]) {}

  func add(_ samples: [DeliveredSample], to bytes: inout [UInt8]) {
    for sample in samples {
      var writer = JSONWriter(capacity: 140)
      sample.write(to: &writer)
      bytes.append(contentsOf: writer.bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  func end(_ bytes: inout [UInt8]) {}
}
