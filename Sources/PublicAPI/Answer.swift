import HTTP
import JSON

/// A successful response of an endpoint.
package struct Answer: Sendable {
  /// The response status.
  package let status: HTTPStatus
  /// The media type.
  package let mediaType: String
  /// The schema of a JSON body.
  package let schema: JSONSchema?
  /// When the response is sent, for the documentation.
  package let meaning: String

  /// A JSON response.
  package static func json(
    _ schema: JSONSchema, status: HTTPStatus = .ok, _ meaning: String = "Done."
  ) -> Answer {
    Answer(status: status, mediaType: "application/json", schema: schema, meaning: meaning)
  }

  /// A response of another media type.
  package static func other(_ mediaType: String, _ meaning: String) -> Answer {
    Answer(status: .ok, mediaType: mediaType, schema: nil, meaning: meaning)
  }

  /// No body: the copy named by `If-None-Match` is still valid.
  package static let notModified = Answer(
    status: .notModified, mediaType: "", schema: nil, meaning: "Your copy is still valid.")

  /// A response `{"message": …}` with the contract's text and optional further fields.
  package static func message(_ text: String, and more: [JSONSchema.Property] = []) -> Answer {
    .json(.object([.required("message", .oneOf([text]))] + more))
  }
}
