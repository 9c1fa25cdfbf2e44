import HTTP
import JSON
import PublicAPI

/// Decides on the request's body and checks it (GW-2).
package enum BodyPhase {
  /// The largest body that is collected, in bytes.
  package static let collectedBytesMax = 1024 * 1024

  /// How the body is handled.
  package enum Treatment: Equatable {
    case ignore
    case collect
    case stream(bytesMax: UInt64)
  }

  /// Decides by the head, before any of the body is read.
  ///
  /// Failures: 413 if the announced length exceeds the limit; 415 for another media type, a charset
  /// other than UTF-8, or a content encoding, because the gateway decompresses nothing.
  package static func begin(
    _ head: RequestHead, for plan: EndpointPlan
  ) throws(Problem) -> Treatment {
    switch plan.bodyRule {
    case .ignored: return .ignore
    case .tokenOnly:
      guard head.hasBody, isJSON(head) == true else { return .ignore }
      try checkLength(head, UInt64(collectedBytesMax))
      return .collect
    case .json: return try beginJSON(head)
    case .stream(let types, let bytesMax):
      guard isPlain(head), isOne(of: types, head) ?? true else { throw wrongType(types) }
      try checkLength(head, bytesMax)
      return .stream(bytesMax: bytesMax)
    case .jsonOrFile(_, let types, let bytesMax):
      guard head.hasBody, isPlain(head) else { return try beginJSON(head, or: types) }
      guard isOne(of: types, head) == true else { return try beginJSON(head, or: types) }
      try checkLength(head, bytesMax)
      return .stream(bytesMax: bytesMax)
    }
  }

  private static func beginJSON(
    _ head: RequestHead, or types: [[UInt8]] = []
  ) throws(Problem) -> Treatment {
    guard head.hasBody else { return .collect }
    guard isJSON(head) != false, isPlain(head) else { throw wrongType([json] + types) }
    try checkLength(head, UInt64(collectedBytesMax))
    return .collect
  }

  private static func wrongType(_ types: [[UInt8]]) -> Problem {
    let names = types.map { String(decoding: $0, as: UTF8.self) }
    return .wrongMediaType(
      "Send the body as \(names.count > 1 ? "one of " : "")\(names.joined(separator: ", ")).")
  }

  /// Checks a collected body and extracts `authToken`.
  ///
  /// Failure: 400 for a body that cannot be parsed. A violation of the schema is returned instead,
  /// to be reported after the token was checked.
  package static func check(
    _ body: [UInt8], for plan: EndpointPlan
  ) throws(Problem) -> (violation: Problem?, token: String?) {
    let validator: JSONValidator
    switch plan.bodyRule {
    case .ignored, .stream: return (nil, nil)
    case .tokenOnly(let any): validator = any
    case .json(let schema), .jsonOrFile(let schema, _, _): validator = schema
    }
    do throws(JSONError) {
      let check = try validator.check(body, capturing: tokenName)
      return (check.violation.map(problem), check.captured)
    } catch {
      throw problem(error)
    }
  }

  private static let tokenName = Array("authToken".utf8)

  /// 400 with the field's path.
  private static func problem(_ error: JSONError) -> Problem {
    .malformed(error.sentence, field: error.path.isEmpty ? nil : error.path)
  }

  private static func checkLength(_ head: RequestHead, _ limit: UInt64) throws(Problem) {
    try checkLength(head.contentLength, limit)
  }

  /// Checks an announced length, if there is one.
  static func checkLength(_ length: UInt64?, _ limit: UInt64) throws(Problem) {
    guard length ?? 0 <= limit else { throw tooLarge(limit) }
  }

  /// 413 with the limit.
  static func tooLarge(_ limit: UInt64) -> Problem {
    .tooLarge("Send at most \(limit) bytes.")
  }

  private static let json = Array("application/json".utf8)

  /// Whether the media type is JSON in UTF-8; nil if the request names none.
  private static func isJSON(_ head: RequestHead) -> Bool? {
    guard head.fields.count(of: .contentType) < 2 else { return false }
    return head.fields.withValue(.contentType) { value in
      guard MediaType.names(value, json.span) else { return false }
      return value.count == json.count || !MediaType.hasOtherCharset(value)
    }
  }

  /// Whether the media type is one of these; nil if the request names none. A streamed file without
  /// one is treated as the last of the types, which is the broadest.
  private static func isOne(of types: [[UInt8]], _ head: RequestHead) -> Bool? {
    guard head.fields.count(of: .contentType) < 2 else { return false }
    return head.fields.withValue(.contentType) { value in
      for type in types where MediaType.names(value, type.span) { return true }
      return false
    }
  }

  private static func isPlain(_ head: RequestHead) -> Bool {
    head.fields.withValue(.contentEncoding) { $0.equalsIgnoringCase("identity") } ?? true
  }
}
