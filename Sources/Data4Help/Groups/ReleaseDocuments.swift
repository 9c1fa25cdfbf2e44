import Domain
import JSON

/// The bytes in which a released type is given: made once, and given again as they are (GRP-1).
struct ReleaseDocuments: Sendable {
  let document: [UInt8]
  let parts: [UInt8]
  let csv: [UInt8]

  init(_ counted: CountedType) {
    var writer = JSONWriter()
    writer.object {
      counted.statistics.write(counted.type, to: &$0)
      $0.array("days") { writer in
        for day in counted.days {
          writer.object {
            $0.field("date", CalendarDate(daysSince1970: Int(day.day)).description)
            $0.field("people", day.people)
            $0.field("mean", day.mean)
          }
        }
      }
    }
    document = writer.bytes
    var parts: [UInt8] = []
    var rows = CSVRows(counted.type)
    rows.append(counted.statistics, part: "")
    for day in counted.days {
      let date = CalendarDate(daysSince1970: Int(day.day)).description
      rows.append("day", part: "", from: date, to: date, people: day.people, value: day.mean)
    }
    for part in counted.parts {
      if !parts.isEmpty { parts.append(UInt8(ascii: ",")) }
      var writer = JSONWriter()
      writer.object {
        $0.field("group", part.name)
        part.statistics.write(counted.type, to: &$0)
      }
      parts += writer.bytes
      rows.append(part.statistics, part: part.name)
    }
    self.parts = parts
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
