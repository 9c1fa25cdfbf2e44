import Domain
import JSON

/// A format in which samples are written to a file, batch by batch.
///
/// Its state between batches is bounded by a batch, so that a file of any length takes the memory
/// of one.
package protocol SampleFile: Sendable {
  /// Appends the text before the samples.
  mutating func begin(_ bytes: inout [UInt8])
  /// Adds the next samples, in the order of their numbers.
  mutating func add(_ samples: [DeliveredSample], to bytes: inout [UInt8])
  /// Appends the text after the samples.
  mutating func end(_ bytes: inout [UInt8])
}

/// A format in which the samples of a request are delivered as one file.
protocol Download: SampleFile {
  /// Its name in the record of accesses.
  static var format: AccessFormat { get }
  static var contentType: String { get }
  /// The extension of the file's name, without the dot.
  static var suffix: String { get }
  /// Appends at most `countMax` of the samples that were added and are not written yet, after all
  /// were added; returns false if there are none. `end` appends all of them.
  mutating func addRest(_ countMax: Int, to bytes: inout [UInt8]) -> Bool
}

extension Download {
  mutating func addRest(_ countMax: Int, to bytes: inout [UInt8]) -> Bool { false }

  /// The whole file, for samples that fit into one batch.
  func whole(_ samples: [DeliveredSample]) -> [UInt8] {
    var form = self
    var bytes: [UInt8] = []
    form.begin(&bytes)
    form.add(samples, to: &bytes)
    form.end(&bytes)
    return bytes
  }
}

/// One line per sample, after a header line (RFC 4180).
package struct CSVDownload: Download {
  /// A file without content yet.
  package init() {}

  static let format = AccessFormat.csv
  static let contentType = "text/csv; charset=utf-8"
  static let suffix = "csv"

  package func begin(_ bytes: inout [UInt8]) { bytes.append(contentsOf: DeliveredSample.headerRow) }

  package func add(_ samples: [DeliveredSample], to bytes: inout [UInt8]) {
    for sample in samples { sample.appendRow(to: &bytes) }
  }

  package func end(_ bytes: inout [UInt8]) {}
}

/// One line per sample, each the object of the JSON page.
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
