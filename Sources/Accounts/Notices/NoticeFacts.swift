import Domain
import JSON
import ServiceKit
import Time

/// The fields of a notice from which its text is composed; their presence depends on the kind.
struct NoticeFacts: JSONReadable {
  private(set) var requestID: DataRequestID?
  private(set) var texts: [String: String] = [:]
  private(set) var times: [String: Instant] = [:]
  private(set) var lists: [String: [String]] = [:]
  private(set) var isDrill = false
  private(set) var dropped: Int?

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID": requestID = try reader.requestID()
      case "status", "runName", "code", "event", "number", "reason", "stage", "episodeID", "url",
        "name", "model":
        texts[key.text] = try reader.string()
      case "startTime", "endsAt", "abortUntil", "answerBy", "since", "previousUntil":
        times[key.text] = try reader.instant()
      case "dataTypes", "acceptedTypes": lists[key.text] = try reader.strings()
      case "drill": isDrill = try reader.boolean()
      case "dropped": dropped = try reader.integer()
      default: break
      }
    }
  }
}

extension JSONReader {
  fileprivate mutating func strings() throws(JSONError) -> [String] {
    var strings: [String] = []
    try beginArray()
    while try nextElement() { strings.append(try string()) }
    return strings
  }
}
