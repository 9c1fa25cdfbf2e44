import HTTP
import JSON

/// The API as an OpenAPI 3.1 document, generated from the endpoints.
package struct OpenAPI: Sendable {
  private let endpoints: [Endpoint]
  private let serverURL: String

  /// The document for these endpoints at `serverURL`.
  package init(_ endpoints: [Endpoint] = PublicAPI.endpoints, serverURL: String) {
    self.endpoints = endpoints
    self.serverURL = serverURL
  }

  /// The document as JSON.
  package func json() -> [UInt8] {
    var writer = JSONWriter(capacity: 64 * 1024)
    writer.object {
      $0.field("openapi", "3.1.0")
      $0.object("info") {
        $0.field("title", "TrackMe")
        $0.field("version", "1")
        $0.field("description", Self.introduction)
      }
      $0.array("servers") { $0.object { $0.field("url", serverURL) } }
      $0.object("paths") { writePaths(to: &$0) }
      $0.object("components") { Self.writeComponents(to: &$0) }
    }
    return writer.bytes
  }

  private static let introduction =
    "Share health data and position on your own terms. Times are RFC 3339 with an offset, dates "
    + "YYYY-MM-DD, durations whole seconds, coordinates `lat,lon` in WGS 84. Errors are "
    + "application/problem+json. TrackMe is not a medical device and does not replace 112."

  private func writePaths(to writer: inout JSONWriter) {
    var paths: [String] = []
    for endpoint in endpoints where !paths.contains(endpoint.path) { paths.append(endpoint.path) }
    for path in paths {
      writer.object(path) { writer in
        for endpoint in endpoints where endpoint.path == path {
          writer.object(endpoint.method.text.lowercased()) { endpoint.write(to: &$0) }
        }
      }
    }
  }

  private static func writeComponents(to writer: inout JSONWriter) {
    writer.object("securitySchemes") { writer in
      for scheme in SecurityScheme.allCases {
        writer.object(scheme.rawValue) {
          $0.field("type", "http")
          $0.field("scheme", "bearer")
          $0.field("description", scheme.meaning)
        }
      }
    }
    writer.object("schemas") {
      $0.name("Problem")
      problem.write(to: &$0)
    }
  }

  /// The body of every error (RFC 9457).
  private static let problem = JSONSchema.object([
    .required("error", .text, "The contract's text for the error."),
    .required("status", .integer(400...599)),
    .required("title", .text),
    .required("detail", .text, "A description of the error for a person."),
    .optional("field", .text, "The path of the offending field."),
    .required("requestID", .text),
  ])
}

/// The security schemes.
private enum SecurityScheme: String, CaseIterable {
  case singleUser, thirdParty, program, device

  var meaning: String {
    switch self {
    case .singleUser: "The `authToken` returned to a single user who logs in."
    case .thirdParty: "The `authToken` returned to a third party who logs in."
    case .program: "A third party's API key for its own programs, from `/auth/keys`."
    case .device: "The `deviceToken` returned to a single user's device by pairing."
    }
  }
}

extension Endpoint {
  /// The accepted security schemes, each sufficient by itself; empty if no token is needed.
  private var schemes: [SecurityScheme] {
    let logins: [SecurityScheme] =
      switch caller {
      case .anyone: []
      case .account: [.singleUser, .thirdParty]
      case .singleUser: [.singleUser]
      case .thirdParty: [.thirdParty]
      }
    return logins + (takesPrograms ? [.program] : []) + (takesDevices ? [.device] : [])
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.field("operationId", operationID)
    writer.field("summary", summary)
    if caller != .anyone {
      writer.array("security") { writer in
        for scheme in schemes {
          writer.object { $0.array(scheme.rawValue) { _ in } }
        }
      }
    }
    writer.array("parameters") { writer in
      for parameter in pathParameters { parameter.write(to: &writer) }
      for parameter in query { parameter.write(to: &writer) }
      if takesIdempotencyKey { Self.writeIdempotencyKey(to: &writer) }
    }
    writeBody(to: &writer)
    writer.object("responses") { writeResponses(to: &$0) }
  }

  private static func writeIdempotencyKey(to writer: inout JSONWriter) {
    writer.object {
      $0.field("name", "Idempotency-Key")
      $0.field("in", "header")
      $0.field("required", false)
      $0.field("description", "Calls repeated with this key within 24 hours are executed once.")
      $0.name("schema")
      JSONSchema.string(lengthMin: 1, lengthMax: 200).write(to: &$0)
    }
  }

  private func writeBody(to writer: inout JSONWriter) {
    switch body {
    case .none: break
    case .json(let schema): Self.writeBody(schema, [], to: &writer)
    case .stream(let mediaTypes, _): Self.writeBody(nil, mediaTypes, to: &writer)
    case .jsonOrFile(let schema, let mediaTypes, _):
      Self.writeBody(schema, mediaTypes, to: &writer)
    }
  }

  private static func writeBody(
    _ schema: JSONSchema?, _ mediaTypes: [String], to writer: inout JSONWriter
  ) {
    writer.object("requestBody") {
      $0.field("required", true)
      $0.object("content") { writer in
        if let schema {
          writer.object("application/json") {
            $0.name("schema")
            schema.write(to: &$0)
          }
        }
        for mediaType in mediaTypes {
          writer.object(mediaType) {
            $0.object("schema") { _ in }
          }
        }
      }
    }
  }

  private func writeResponses(to writer: inout JSONWriter) {
    var statuses: [HTTPStatus] = []
    for answer in answers where !statuses.contains(answer.status) { statuses.append(answer.status) }
    for status in statuses {
      let answers = answers.filter { $0.status == status }
      writer.object("\(status.code)") {
        $0.field("description", answers.map(\.meaning).joined(separator: " "))
        guard !status.hasNoBody else { return }
        $0.object("content") { writer in
          for answer in answers { answer.write(to: &writer) }
        }
      }
    }
    writeErrors(to: &writer)
  }

  private func writeErrors(to writer: inout JSONWriter) {
    let all = [caller.refusal].compactMap(\.self) + errors + Endpoint.commonErrors(of: self)
    var statuses: [HTTPStatus] = []
    for error in all where !statuses.contains(error.status) { statuses.append(error.status) }
    for status in statuses.sorted(by: { $0.code < $1.code }) {
      let meanings = all.filter { $0.status == status }.map { "`\($0.error)`: \($0.meaning)" }
      writer.object("\(status.code)") {
        $0.field("description", meanings.joined(separator: " "))
        Self.writeHeader(of: status, to: &$0)
        $0.object("content") { writer in
          writer.object("application/problem+json") {
            $0.object("schema") { $0.field("$ref", "#/components/schemas/Problem") }
          }
          for page in pages { writer.object(page) { $0.object("schema") { _ in } } }
        }
      }
    }
  }

  /// The media types of HTML pages, in which errors are also sent.
  private var pages: [String] {
    guard caller == .anyone, answers.count > 1 else { return [] }
    return answers.map(\.mediaType).filter { $0 == "text/html" }
  }

  /// The header field in every response of this status.
  private static func writeHeader(of status: HTTPStatus, to writer: inout JSONWriter) {
    let name: String
    let schema: JSONSchema
    switch status {
    case .unauthorized: (name, schema) = ("WWW-Authenticate", .oneOf(["Bearer"]))
    case .tooManyRequests, .unavailable: (name, schema) = ("Retry-After", .integer(minimum: 1))
    default: return
    }
    writer.object("headers") {
      $0.object(name) {
        $0.field("required", true)
        $0.field("schema", schema)
      }
    }
  }

  /// The errors that the gateway and every service may send.
  private static func commonErrors(of endpoint: Endpoint) -> [ErrorAnswer] {
    var errors = [
      ErrorAnswer(.badRequest, "Malformed request", "Something is missing or malformed."),
      ErrorAnswer(.requestTimeout, "Timed out", "The request took too long to arrive."),
      ErrorAnswer(.targetTooLong, "Too large", "The path and query exceed their limit."),
      ErrorAnswer(.fieldsTooLarge, "Too large", "The request's head exceeds its limit."),
      ErrorAnswer(.tooManyRequests, "Too many requests", "Wait for `Retry-After` seconds."),
      ErrorAnswer(.unavailable, "Unavailable", "Wait for `Retry-After` seconds."),
      ErrorAnswer(
        .badGateway, "Bad gateway", "A service closed the connection during its response."),
      ErrorAnswer(.gatewayTimeout, "Timed out", "A service did not answer in time."),
    ]
    if endpoint.caller != .anyone { errors.append(.wrongOrigin) }
    if case .none = endpoint.body {
    } else {
      errors.append(ErrorAnswer(.contentTooLarge, "Too large", "The body exceeds its limit."))
      errors.append(
        ErrorAnswer(
          .unsupportedMediaType, "Wrong media type", "The media type of the body is not supported.")
      )
    }
    if endpoint.takesIdempotencyKey {
      errors.append(
        ErrorAnswer(
          .conflict, "Wrong state",
          "The first call with this key is still running: wait for `Retry-After` seconds."))
      errors.append(
        ErrorAnswer(.unprocessable, "Key reused", "The key was used with a different body."))
    }
    return errors
  }
}

extension Answer {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object(mediaType) { writer in
      guard let schema else { return writer.object("schema") { _ in } }
      writer.name("schema")
      schema.write(to: &writer)
    }
  }
}

extension QueryParameter {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("name", name)
      $0.field("in", "query")
      $0.field("required", isRequired)
      $0.field("description", meaning)
      $0.name("schema")
      kind.schema.write(to: &$0)
    }
  }
}

extension PathParameter {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("name", name)
      $0.field("in", "path")
      $0.field("required", true)
      $0.field("description", meaning)
      $0.name("schema")
      kind.schema.write(to: &$0)
    }
  }
}
