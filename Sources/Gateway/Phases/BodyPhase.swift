import HTTP
import JSON
import PublicAPI

/// What the request brings (GW-2).
package enum BodyPhase {
  /// Bytes of a body that is collected.
  package static let collectedBytesMax = 1024 * 1024

  /// What is done with the body.
  package enum Treatment: Equatable {
    case ignore
    case collect
    case stream(bytesMax: UInt64)
  }

  /// Decides by the head, before any of the body is read.
  ///
  /// Failures: 413 where the length it announces is over the limit, 415 for another media type, a
  /// charset that is not UTF-8, or an encoding: nothing is decompressed here.
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

  /// Checks a collected body and takes `authToken` out of it.
  ///
  /// Failure: 400 for what cannot be read at all. What can be read and does not fit comes back, to
  /// be told after the token was judged.
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
      let check = try validator.check(body, capturing: "authToken")
      return (check.violation.map(problem), check.captured)
    } catch {
      throw problem(error)
    }
  }

  /// 400 with the field's path.
  private static func problem(_ error: JSONError) -> Problem {
    .malformed(error.sentence, field: error.path.isEmpty ? nil : error.path)
  }

  private static func checkLength(_ head: RequestHead, _ limit: UInt64) throws(Problem) {
    guard head.contentLength ?? 0 <= limit else { throw tooLarge(limit) }
  }

  /// 413 with the limit.
  static func tooLarge(_ limit: UInt64) -> Problem {
    .tooLarge("Send at most \(limit) bytes.")
  }

  private static let json = Array("application/json".utf8)

  /// Whether the body says that it is JSON in UTF-8; nil if it says nothing.
  private static func isJSON(_ head: RequestHead) -> Bool? {
    guard head.fields.count(of: .contentType) < 2 else { return false }
    return head.fields.withValue(.contentType) { value in
      guard MediaType.names(value, json.span) else { return false }
      return value.count == json.count || !MediaType.hasOtherCharset(value)
    }
  }

  /// Whether the body says that it is of one of these types; nil if it says nothing: where files
  /// are streamed it is taken for the last of the types, which is the widest.
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
