import Domain
import HTTP
import JSON
import Web

extension Request {
  /// The body as a payload.
  ///
  /// - Throws: `invalid` with the field and the necessary change.
  package func payload<Payload: JSONReadable>(
    _ type: Payload.Type = Payload.self
  ) throws(ApplicationError) -> Payload {
    do throws(JSONError) {
      return try JSONReader.read(type, from: body.bytes)
    } catch {
      throw ApplicationError(error)
    }
  }
}

extension ApplicationError {
  /// `invalid` for a body in the wrong form.
  package init(_ error: JSONError) {
    self = .invalid(error.sentence, field: error.path.isEmpty ? nil : error.path)
  }

  /// `invalid` for a value that the domain refuses, with the domain's own sentence.
  package static func invalid(_ error: any DomainError, field: String) -> ApplicationError {
    .invalid(error.description, field: field)
  }
}

/// A value that the domain parses, or `invalid` with the field and the domain's own sentence.
package func checked<Value, Failure: DomainError>(
  _ field: String, _ parse: () throws(Failure) -> Value
) throws(ApplicationError) -> Value {
  do throws(Failure) { return try parse() } catch {
    throw .invalid(error, field: field)
  }
}

extension Response {
  /// `{"message": …}` and optional further fields.
  package static func message(
    _ text: String, and more: (inout JSONWriter) -> Void = { _ in }
  ) -> Response {
    .json {
      $0.field("message", text)
      more(&$0)
    }
  }

  /// A value that writes itself.
  package static func json(of value: some JSONWritable) -> Response {
    var writer = JSONWriter()
    writer.value(value)
    return .json(writer.bytes)
  }

  /// A JSON object whose fields `body` writes.
  package static func json(
    status: HTTPStatus = .ok, _ body: (inout JSONWriter) -> Void
  ) -> Response {
    var writer = JSONWriter()
    writer.object(body)
    return .json(writer.bytes, status: status)
  }
}
