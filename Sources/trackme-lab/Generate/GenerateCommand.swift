import Data4Help
import Foundation
import HealthRecords
import Installation
import Operations
import Zip

/// `trackme-lab generate`: writes a file of one of the formats for trying the import, or creates
/// people for trying group requests.
enum GenerateCommand {
  /// The maximum in megabytes: a larger zip would need other headers, and the import refuses it.
  static let megabytesMax = 4_000

  static let usage = """
    usage: trackme-lab generate apple-health|health-auto-export|gpx --megabytes N [--seed N] \
    [--zip] --output FILE
      --megabytes  1 to \(megabytesMax)
      --seed       a whole number: the same one writes the same file (1)
    """

  static func run(_ arguments: [String]) -> Int32 {
    if arguments.first == "people" { return GeneratedPeople.run(Array(arguments.dropFirst())) }
    guard let order = Order(arguments) else {
      Terminal.complain(usage)
      Terminal.complain(GeneratedPeople.usage)
      return 2
    }
    return Commands.reporting { () throws(StartError) in
      do {
        try write(order)
        Terminal.say("\(order.output) is written.")
      } catch {
        throw StartError("\(order.output) can't be written: \(error.localizedDescription)")
      }
    }
  }

  /// The parsed arguments.
  struct Order: Equatable {
    var format = ImportFormat.appleHealth
    var megabytes = 0
    var seed: UInt64 = 1
    var isZip = false
    var output = ""

    /// Returns nil for invalid arguments.
    init?(_ arguments: [String]) {
      var rest = arguments[...]
      guard let format = rest.popFirst().flatMap({ ImportFormat(rawValue: $0) }) else {
        return nil
      }
      self.format = format
      while let argument = rest.popFirst() {
        switch argument {
        case "--zip": isZip = true
        case "--megabytes":
          guard let value = rest.popFirst().flatMap({ Int($0) }) else { return nil }
          megabytes = value
        case "--seed":
          guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
          seed = value
        case "--output":
          guard let value = rest.popFirst() else { return nil }
          output = value
        default: return nil
        }
      }
      guard (1...megabytesMax).contains(megabytes), !output.isEmpty else { return nil }
    }
  }

  /// The content in this format, and its file name in a zip.
  private static func content(
    _ format: ImportFormat, _ bytes: Int, _ seed: UInt64
  ) -> (any GeneratedFile, String) {
    switch format {
    case .appleHealth:
      (AppleHealthExport(bytes: bytes, seed: seed), "apple_health_export/export.xml")
    case .healthAutoExport:
      (HealthAutoExportFile(bytes: bytes, seed: seed), "HealthAutoExport.json")
    case .gpx: (GPXTrack(bytes: bytes, seed: seed), "tracks/run.gpx")
    }
  }

  private static func write(_ order: Order) throws {
    let url = URL(fileURLWithPath: order.output)
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    var (export, entry) = content(order.format, order.megabytes * 1_000_000, order.seed)
    if order.isZip, let zip = ZipWriter(year: 2026, month: 3, day: 1) {
      try file.write(contentsOf: zip.begin(entry))
      while let piece = export.next() { try file.write(contentsOf: zip.write(piece)) }
      try file.write(contentsOf: zip.endEntry() + zip.end())
    } else {
      while let piece = export.next() { try file.write(contentsOf: piece) }
    }
    try file.close()
  }
}
