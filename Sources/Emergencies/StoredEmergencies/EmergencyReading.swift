import AutomatedSOS
import Domain
import JSON
import ServiceKit
import Time

/// A reading of an emergency as stored and shown (SOS-8).
struct EmergencyReading: Sendable, Equatable, JSONReadable, JSONWritable {
  let type: DataType
  let value: SampleValue
  let time: Instant
  /// Whether the emergency is based on it: it violated the rule.
  private(set) var isBasis = false

  init(type: DataType, value: SampleValue, time: Instant) {
    self.type = type
    self.value = value
    self.time = time
  }

  /// The same reading as a basis of the emergency.
  var asBasis: EmergencyReading {
    var reading = self
    reading.isBasis = true
    return reading
  }

  /// Identifies a measurement, even if another process has read it.
  struct Identity: Hashable {
    let type: DataType
    let time: Instant
    let value: SampleValue
  }

  var identity: Identity { Identity(type: type, time: time, value: value) }

  init(from reader: inout JSONReader) throws(JSONError) {
    var isOnBody: Bool?
    try self.init(from: &reader, isOnBody: &isOnBody)
  }

  /// Reads a reading, and whether the device reports that it was worn.
  init(from reader: inout JSONReader, isOnBody: inout Bool?) throws(JSONError) {
    var type: DataType?
    var scalar: JSONScalar?
    var time: Instant?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "dataType":
        guard let found = try reader.stringBytes({ DataType(name: $0) }) else {
          throw reader.refusal("Name a data type, such as heartRate.")
        }
        type = found
      case "value": scalar = try reader.stringOrNumber()
      case "timestamp": time = try reader.instant()
      case "onBody": isOnBody = try reader.null() ? nil : try reader.boolean()
      case "basis": isBasis = try reader.boolean()
      default: break
      }
    }
    self.type = try reader.mandatory("dataType", type)
    self.time = try reader.mandatory("timestamp", time)
    let given = try reader.mandatory("value", scalar)
    do throws(SampleValueError) { value = try Self.value(given, of: self.type) } catch {
      throw reader.refusal(error.description)
    }
  }

  private static func value(
    _ scalar: JSONScalar, of type: DataType
  ) throws(SampleValueError) -> SampleValue {
    switch scalar {
    case .string(let text): try SampleValue(judged: text.utf8Span.span, of: type)
    case .number(let number): try SampleValue(judged: number, of: type)
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("dataType", type.name)
      $0.field("value", value.text(of: type))
      $0.field("unit", type.unit)
      $0.field("timestamp", time.description)
      $0.field("basis", isBasis)
    }
  }
}
