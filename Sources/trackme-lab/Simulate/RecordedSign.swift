import Domain
import EventLoop
import JSON
import Operations
import Time

/// One line of a recording: a vital sign, and its time after the first one.
///
/// A recording is a file exported by TrackMe: CSV whose header names the columns `timestamp`,
/// `dataType` and `value`, or NDJSON objects with these fields. Other columns and fields are
/// ignored.
package struct RecordedSign: Equatable, Sendable {
  /// The maximum size of a recording in bytes.
  static let bytesMax = 64 * 1024 * 1024

  /// Milliseconds after the first vital sign.
  package let milliseconds: Int64
  /// The data type.
  package let type: DataType
  /// The value.
  package let value: SampleValue

  var isConclusion: Bool { type == .fall || type == .shaking }

  /// Reads a file.
  ///
  /// - Throws: a sentence about an unreadable file or about its first invalid line.
  static func all(of file: String) throws(StartError) -> [RecordedSign] {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileSystem.read(file, bytesMax: bytesMax) } catch {
      throw StartError("\(file) can't be read", error)
    }
    return try all(in: String(decoding: bytes, as: UTF8.self), of: file)
  }

  /// Parses the text of a recording and sorts its lines by time.
  ///
  /// - Throws: a sentence about the invalid line, with `file` as the name of the source.
  package static func all(
    in text: String, of file: String = "The recording"
  ) throws(StartError) -> [RecordedSign] {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    var columns: RecordingColumns?
    var signs: [VitalSign] = []
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
      do throws(RecordingFault) {
        if line.hasPrefix("{") {
          signs.append(try Self.sign(json: String(line)))
        } else if let columns {
          signs.append(try columns.sign(in: line))
        } else {
          columns = try RecordingColumns(line)
        }
      } catch {
        throw StartError("\(file), line \(index + 1): \(error.sentence)")
      }
    }
    signs.sort { $0.time < $1.time }
    guard let first = signs.first?.time.millisecondsSince1970 else {
      throw StartError("\(file) holds no vital signs.")
    }
    return signs.map { sign in
      RecordedSign(
        milliseconds: sign.time.millisecondsSince1970 - first, type: sign.type, value: sign.value)
    }
  }

  private static func sign(json line: String) throws(RecordingFault) -> VitalSign {
    let entry: RecordedObject
    do throws(JSONError) {
      entry = try JSONReader.read(RecordedObject.self, from: Array(line.utf8))
    } catch {
      throw RecordingFault(sentence: error.sentence)
    }
    return try RecordingFault.sign(entry.time, entry.type, entry.value)
  }
}

/// The error in a line of a recording, as a sentence.
struct RecordingFault: Error {
  let sentence: String

  /// Parses a vital sign from its three fields.
  ///
  /// - Throws: the error of the invalid field.
  static func sign(
    _ time: String, _ type: String, _ value: String
  ) throws(RecordingFault) -> VitalSign {
    guard let type = DataType(name: type.utf8Span.span) else {
      throw RecordingFault(sentence: "dataType must be a data type, such as heartRate.")
    }
    let moment: Instant
    do throws(InstantError) { moment = try Instant(time) } catch {
      throw RecordingFault(sentence: error.description)
    }
    do throws(SampleValueError) {
      return VitalSign(type, try SampleValue(judged: value.utf8Span.span, of: type), at: moment)
    } catch {
      throw RecordingFault(sentence: error.description)
    }
  }
}

private struct RecordedObject: JSONReadable {
  let time: String
  let type: String
  let value: String

  init(from reader: inout JSONReader) throws(JSONError) {
    var time: String?
    var type: String?
    var value: JSONScalar?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "timestamp": time = try reader.string()
      case "dataType": type = try reader.string()
      case "value": value = try reader.stringOrNumber()
      default: break
      }
    }
    self.time = try reader.mandatory("timestamp", time)
    self.type = try reader.mandatory("dataType", type)
    switch try reader.mandatory("value", value) {
    case .string(let text): self.value = text
    case .number(let number): self.value = number.description
    }
  }
}
