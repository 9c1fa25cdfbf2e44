import Domain
import JSON
import ServiceKit

/// The documents in which a released type, or its parts, are delivered: written once and repeated
/// byte for byte (GRP-1).
struct ReleaseDocuments: Sendable {
  let json: [UInt8]
  let csv: [UInt8]

  /// Stored documents.
  init(json: [UInt8], csv: [UInt8]) {
    self.json = json
    self.csv = csv
  }

  /// The whole of a type, with its days.
  init(_ type: DataType, _ statistics: ReleasedStatistics, _ days: [ReleasedStatistics.Day]) {
    var writer = JSONWriter()
    writer.object {
      statistics.write(type, to: &$0)
      $0.array("days") { writer in
        for day in days {
          writer.object {
            $0.field("date", CalendarDate(daysSince1970: Int(day.day)).description)
            $0.field("people", day.people)
            $0.field("mean", day.mean)
          }
        }
      }
    }
    json = writer.bytes
    var rows = CSVRows(type)
    rows.append(statistics, part: "")
    for day in days {
      let date = CalendarDate(daysSince1970: Int(day.day)).description
      rows.append("day", part: "", from: date, to: date, people: day.people, value: day.mean)
    }
    csv = rows.bytes
  }

  /// The parts of a breakdown, separated by commas.
  init(_ type: DataType, parts: [(name: String, statistics: ReleasedStatistics)]) {
    var json: [UInt8] = []
    var rows = CSVRows(type)
    for part in parts {
      if !json.isEmpty { json.append(UInt8(ascii: ",")) }
      var writer = JSONWriter()
      writer.object {
        $0.field("group", part.name)
        part.statistics.write(type, to: &$0)
      }
      json += writer.bytes
      rows.append(part.statistics, part: part.name)
    }
    self.json = json
    csv = rows.bytes
  }

  /// The header line of the CSV file.
  static let headerRow = Array("parameter,unit,group,statistic,from,to,people,value\r\n".utf8)
}

extension ReleasedStatistics {
  private static let names = ["p5", "p25", "median", "p75", "p95"]

  fileprivate var named: [(String, Double)] {
    [("mean", mean), ("stddev", standardDeviation)] + zip(Self.names, percentiles)
  }

  fileprivate func write(_ type: DataType, to writer: inout JSONWriter) {
    writer.field("parameter", type.name)
    writer.field("unit", type.unit)
    writer.field("people", people)
    for (name, value) in named { writer.field(name, value) }
    writer.array("histogram") { writer in
      for bin in bins {
        writer.object {
          $0.field("from", bin.from)
          $0.field("to", bin.to)
          $0.field("share", bin.share)
        }
      }
    }
  }
}

/// The rows of a type in the CSV file.
private struct CSVRows {
  private let type: DataType
  private(set) var bytes: [UInt8] = []

  init(_ type: DataType) { self.type = type }

  mutating func append(_ statistics: ReleasedStatistics, part: String) {
    for (name, value) in statistics.named {
      append(name, part: part, people: statistics.people, value: value)
    }
    for bin in statistics.bins {
      append(
        "share", part: part, from: bin.from.description, to: bin.to.description,
        people: statistics.people, value: bin.share)
    }
  }

  mutating func append(
    _ name: String, part: String, from: String = "", to: String = "", people: Int, value: Double
  ) {
    for field in [type.name, type.unit, part, name] {
      CSVField.append(field, to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    bytes.append(contentsOf: "\(from),\(to),\(people),\(value)\r\n".utf8)
  }
}
