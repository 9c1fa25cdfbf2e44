import Domain
import JSON
import ServiceKit

/// A part of a file with the shared data of a run's runners, to be recorded before it is sent, in
/// the record of accesses of each runner (RUN-8, NFR-6).
package struct RunDownload: Sendable, Hashable {
  /// The maximum number of runners in one part.
  package static let countMax = 500

  /// The samples of one runner in the part.
  package struct Runner: Sendable, Hashable {
    /// The check-in of the samples.
    package let requestID: DataRequestID
    /// The types of the samples.
    package let types: [DataType]
    /// The number of samples; 0 to check the consent and record nothing.
    package let count: Int

    /// Samples of one check-in.
    package init(_ requestID: DataRequestID, types: [DataType], count: Int) {
      self.requestID = requestID
      self.types = types
      self.count = count
    }
  }

  /// The company that downloads the file.
  package let thirdParty: AccountID
  /// The format of the file, by its API name.
  package let format: String
  /// The owners of the samples.
  package let runners: [Runner]

  /// A part about at most `countMax` runners.
  package init(to thirdParty: AccountID, format: String, runners: [Runner]) {
    self.thirdParty = thirdParty
    self.format = format
    self.runners = runners
  }
}

/// The answer to a `RunDownload`: the check-ins whose data may be sent, because their runners still
/// share it. The accesses to those with samples are recorded.
package struct GrantedCheckIns: Sendable, Hashable {
  /// The requests.
  package let requestIDs: [DataRequestID]

  /// These check-ins.
  package init(_ requestIDs: [DataRequestID]) { self.requestIDs = requestIDs }
}

extension GrantedCheckIns: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var requestIDs: [DataRequestID]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqIDs": requestIDs = try Self.requestIDs(&reader)
      default: break
      }
    }
    self.init(try reader.mandatory("reqIDs", requestIDs))
  }

  private static func requestIDs(
    _ reader: inout JSONReader
  ) throws(JSONError) -> [DataRequestID] {
    var requestIDs: [DataRequestID] = []
    try reader.beginArray(countMax: RunDownload.countMax)
    while try reader.nextElement() { requestIDs.append(try reader.requestID()) }
    return requestIDs
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("reqIDs", requestIDs.map(\.description)) }
  }
}

extension RunDownload: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var thirdParty: AccountID?
    var format: String?
    var runners: [Runner]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "thirdParty": thirdParty = try reader.account()
      case "format": format = try reader.string()
      case "runners": runners = try reader.list(of: Runner.self, countMax: Self.countMax)
      default: break
      }
    }
    self.init(
      to: try reader.mandatory("thirdParty", thirdParty),
      format: try reader.mandatory("format", format),
      runners: try reader.mandatory("runners", runners))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("thirdParty", thirdParty.rawValue)
      writer.field("format", format)
      writer.field("runners", runners)
    }
  }
}

extension RunDownload.Runner: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var requestID: DataRequestID?
    var types: [DataType]?
    var count: Int?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID": requestID = try reader.requestID()
      case "dataTypes": types = try reader.dataTypes()
      case "count": count = try reader.integer()
      default: break
      }
    }
    self.init(
      try reader.mandatory("reqID", requestID), types: try reader.mandatory("dataTypes", types),
      count: try reader.mandatory("count", count))
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.field("dataTypes", types.map(\.name))
      writer.field("count", count)
    }
  }
}
