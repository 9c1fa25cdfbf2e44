import HTTP
import JSON

/// A successful answer of an endpoint.
package struct Answer: Sendable {
  /// Its status.
  package let status: HTTPStatus
  /// Its media type.
  package let mediaType: String
  /// Its shape, where it is JSON.
  package let schema: JSONSchema?
  /// When it is given, for the documentation.
  package let meaning: String

  /// A JSON answer.
  package static func json(
    _ schema: JSONSchema, status: HTTPStatus = .ok, _ meaning: String = "Done."
  ) -> Answer {
    Answer(status: status, mediaType: "application/json", schema: schema, meaning: meaning)
  }

  /// An answer of another media type.
  package static func other(_ mediaType: String, _ meaning: String) -> Answer {
    Answer(status: .ok, mediaType: mediaType, schema: nil, meaning: meaning)
  }

  /// No body: the copy that `If-None-Match` names is still right.
  package static let notModified = Answer(
    status: .notModified, mediaType: "", schema: nil, meaning: "The copy you named is still right.")

  /// `{"message": …}` with the contract's text, and perhaps more.
  package static func message(_ text: String, and more: [JSONSchema.Property] = []) -> Answer {
    .json(.object([.required("message", .oneOf([text]))] + more))
  }
}
