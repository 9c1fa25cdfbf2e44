import Domain
import JSON
import ServiceKit
import Time

extension InternalEvent: JSONWritable {
  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("seq", number)
      writer.field("timestamp", enteredAt.description)
      writer.field("type", name)
      content.writeFields(to: &writer)
    }
  }
}

extension InternalEvent.Content {
  fileprivate func writeFields(to writer: inout JSONWriter) {
    switch self {
    case .samples(let requestID, let samples):
      writer.field("reqID", requestID.description)
      writer.array("samples") { writer in
        for sample in samples { Self.write(sample, to: &writer) }
      }
    case .answered(let requestID, let answer):
      writer.field("reqID", requestID.description)
      Self.write(answer, to: &writer)
    case .ended(let requestID, let reason):
      writer.field("reqID", requestID.description)
      writer.field("reason", reason.rawValue)
    case .erased(let requestID, let types, let from, let to):
      writer.field("reqID", requestID.description)
      writer.field("dataTypes", types.map(\.name))
      writer.fieldIfPresent("from", from?.description)
      writer.fieldIfPresent("to", to?.description)
    case .unavailable(let requestID, let types, let reason, let until):
      writer.field("reqID", requestID.description)
      writer.field("dataTypes", types.map(\.name))
      writer.field("reason", reason.rawValue)
      writer.fieldIfPresent("to", until?.description)
    case .accountDeleted(let account):
      writer.field("account", account.rawValue)
    case .unreadable: break
    }
  }

  private static func write(_ sample: Sample, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("dataType", sample.type.name)
      writer.field("timestamp", sample.time.description)
      if let number = sample.value.number {
        writer.field("value", number)
      } else {
        writer.field("value", sample.value.text(of: sample.type))
      }
    }
  }

  private static func write(_ answer: CheckInAnswer, to writer: inout JSONWriter) {
    switch answer {
    case .accepted(let types, let endsAt):
      writer.field("status", SingleRequestStatus.accepted.rawValue)
      writer.field("dataTypes", types.map(\.name))
      writer.field("to", endsAt.description)
    case .declined: writer.field("status", SingleRequestStatus.declined.rawValue)
    case .expired: writer.field("status", SingleRequestStatus.expired.rawValue)
    }
  }
}

extension InternalEvent: JSONReadable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var fields = EventFields()
    try reader.beginObject()
    while let key = try reader.nextField() { try fields.read(key, from: &reader) }
    self.init(
      number: try reader.mandatory("seq", fields.number),
      enteredAt: try reader.mandatory("timestamp", fields.time),
      try fields.content(of: reader))
  }
}

/// The fields of an event of any type.
private struct EventFields {
  private(set) var number: Int64?
  private(set) var time: Instant?
  private var type: String?
  private var requestID: DataRequestID?
  private var account: AccountID?
  private var samples: [Sample]?
  private var types: DataTypeSet?
  private var status: String?
  private var reason: String?
  private var from: Instant?
  private var to: Instant?

  mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "seq": number = Int64(try reader.integer())
    case "timestamp": time = try reader.instant()
    case "type": type = try reader.string()
    case "reqID": requestID = try reader.requestID()
    case "account": account = try reader.account()
    case "samples": samples = try reader.samples()
    case "dataTypes": types = DataTypeSet(try reader.dataTypes())
    case "status": status = try reader.string()
    case "reason": reason = try reader.string()
    case "from": from = try reader.instant()
    case "to": to = try reader.instant()
    default: break
    }
  }

  func content(of reader: borrowing JSONReader) throws(JSONError) -> InternalEvent.Content {
    if type == "account" {
      return .accountDeleted(try reader.mandatory("account", account))
    }
    if type == "unreadable" { return .unreadable }
    let requestID = try reader.mandatory("reqID", requestID)
    switch type {
    case "data": return .samples(requestID, try reader.mandatory("samples", samples))
    case "answer": return .answered(requestID, try answer(of: reader))
    case "ended":
      let reason = reason.flatMap(SingleRequest.EndReason.init)
      return .ended(requestID, try reader.mandatory("reason", reason))
    case "erased":
      return .erased(
        requestID, try reader.mandatory("dataTypes", types), from: from, to: to)
    case "unavailable":
      return .unavailable(
        requestID, try reader.mandatory("dataTypes", types),
        try reader.mandatory("reason", reason.flatMap(DataUnavailability.init)), until: to)
    default: throw reader.missing("type")
    }
  }

  private func answer(of reader: borrowing JSONReader) throws(JSONError) -> CheckInAnswer {
    switch status.flatMap(SingleRequestStatus.init) {
    case .accepted:
      .accepted(
        try reader.mandatory("dataTypes", types), endsAt: try reader.mandatory("to", to))
    case .declined: .declined
    case .expired: .expired
    case .pending, .ended, .paymentDue, nil: throw reader.missing("status")
    }
  }
}

extension JSONReader {
  fileprivate mutating func samples() throws(JSONError) -> [Sample] {
    var samples: [Sample] = []
    try beginArray()
    while try nextElement() { samples.append(try sample()) }
    return samples
  }

  /// Reads a sample, whose type is written before its value.
  private mutating func sample() throws(JSONError) -> Sample {
    var type: DataType?
    var time: Instant?
    var value: SampleValue?
    try beginObject()
    while let key = try nextField() {
      switch key {
      case "dataType": type = try stringBytes { DataType(name: $0) }
      case "timestamp": time = try instant()
      case "value": value = try sampleValue(of: try mandatory("dataType", type))
      default: break
      }
    }
    return Sample(
      stored: try mandatory("dataType", type), time: try mandatory("timestamp", time),
      value: try mandatory("value", value))
  }

  private mutating func sampleValue(of type: DataType) throws(JSONError) -> SampleValue {
    let read: Result<SampleValue, SampleValueError> = try scalarBytes { _, text in
      do throws(SampleValueError) { return .success(try SampleValue(utf8: text, of: type)) } catch {
        return .failure(error)
      }
    }
    switch read {
    case .success(let value): return value
    case .failure(let error): throw refusal(error.description)
    }
  }
}
