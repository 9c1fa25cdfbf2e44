import JSON
import Operations

extension Problem {
  /// The media type of the document (RFC 9457, section 3).
  package static let mediaType = "application/problem+json"

  /// The JSON document: always `error`, `status`, `title` and `detail`, and the optional members
  /// that are set.
  package func document(requestID: RequestID?) -> [UInt8] {
    var writer = JSONWriter(capacity: 320)
    writer.object { writer in
      writer.field("error", error)
      writer.field("status", Int(status.code))
      writer.field("title", status.reason)
      writer.field("detail", detail)
      writer.fieldIfPresent("field", field)
      writer.fieldIfPresent("requestID", requestID?.description)
    }
    return writer.bytes
  }

  /// The complete response; `head.contentLength` is the length of the document.
  package func response(requestID: RequestID?) -> (head: ResponseHead, body: [UInt8]) {
    let body = document(requestID: requestID)
    var head = ResponseHead(status, fields: fields, contentLength: UInt64(body.count))
    head.fields.append(.contentType, Problem.mediaType)
    if let requestID { head.fields.append(.requestID, requestID.description) }
    return (head, body)
  }

  /// The problem for a status that an engine sends by itself.
  static func refusal(_ status: HTTPStatus) -> Problem {
    switch status {
    case .requestTimeout: .requestTimedOut
    case .contentTooLarge: .tooLarge()
    case .targetTooLong, .fieldsTooLarge:
      Problem(status, "Too large", detail: "The address or the header fields are too large.")
    default:
      Problem(
        status, "Malformed request", detail: "The request is not valid HTTP, or not supported.")
    }
  }
}
