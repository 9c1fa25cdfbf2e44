import JSON

/// The fields of a notice that its text is made of; which there are depends on the kind.
struct NoticeFacts: JSONReadable {
  private(set) var texts: [String: String] = [:]
  private(set) var lists: [String: [String]] = [:]
  private(set) var subscribing = false
  private(set) var dropped: Int?

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID", "company_name", "expiresAt", "status", "runName", "code", "startTime", "event",
        "number", "reason", "endsAt", "until", "stage":
        texts[key.text] = try reader.string()
      case "dataTypes", "acceptedTypes": lists[key.text] = try reader.strings()
      case "subscribing": subscribing = try reader.boolean()
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
