import Domain
import HealthRecords
import JSON
import ServiceKit
import Time

/// A sample as delivered to a third party.
package struct DeliveredSample: Sendable {
  /// Its number in the third party's own sequence.
  let number: Int64
  let type: DataType
  /// The sample.
  package let sample: StoredSample

  /// A sample under its number in the sequence of the third party.
  package init(number: Int64, _ sample: NumberedSample) {
    self.number = number
    self.type = sample.type
    self.sample = sample.sample
  }

  /// The person's number of the device; nil for a manual entry.
  var device: String? { sample.device == 0 ? nil : String(sample.device) }

  /// Writes an object of the JSON page.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("seq", number)
      writer.field("dataType", type.name)
      if let number = sample.value.number {
        writer.field("value", number)
      } else {
        writer.field("value", sample.value.text(of: type))
      }
      writer.field("unit", type.unit)
      writer.field("timestamp", sample.time.description)
      writer.field("device", device)
    }
  }

  /// The header line of the CSV file (RFC 4180).
  static let headerRow = Array("seq,dataType,value,unit,timestamp,device\r\n".utf8)

  /// Adds a line of the CSV file.
  func appendRow(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: number.description.utf8)
    bytes.append(UInt8(ascii: ","))
    CSVField.append(type.name, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    if sample.value.number == nil {
      CSVField.append(sample.value.text(of: type), to: &bytes)
    } else {
      sample.value.append(to: &bytes, of: type)
    }
    bytes.append(UInt8(ascii: ","))
    CSVField.append(type.unit, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    sample.time.append(to: &bytes)
    bytes.append(UInt8(ascii: ","))
    if let device { CSVField.append(device, to: &bytes) }
    bytes.append(contentsOf: "\r\n".utf8)
  }
}
