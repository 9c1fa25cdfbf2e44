import HTTP
import JSON

/// The requests and answers of the API as TypeScript declarations, against which the web pages are
/// checked.
///
/// One interface has a member for each endpoint, named as `"GET /data/stats"`, with the types of
/// its path and query parameters, its body and its answer. A part that an endpoint does not have,
/// and any part that is not JSON, is `undefined`. Formats and bounds have no types in TypeScript.
package struct TypeScript: Sendable {
  private let endpoints: [Endpoint]

  /// The declarations of these endpoints.
  package init(_ endpoints: [Endpoint] = PublicAPI.endpoints) { self.endpoints = endpoints }

  /// The file, sorted by the members' names, so that its differences are short.
  package func declarations() -> String {
    let members = endpoints.map { (name: "\($0.method.text) \($0.path)", endpoint: $0) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var text = """
      // The requests and answers of the public API. Generated from the endpoint table by
      // `make pages`; do not edit.

      export interface Endpoints {

      """
    for (name, endpoint) in members {
      text += "  \(TypeText.literal(name)): \(Self.parts(of: endpoint));\n"
    }
    return text + "}\n"
  }

  private static func parts(of endpoint: Endpoint) -> String {
    let path = endpoint.pathParameters.map { ($0.name, true, $0.kind.schema) }
    let query = endpoint.query.map { ($0.name, $0.isRequired, $0.kind.schema) }
    let parts = [
      ("path", parameters(path)), ("query", parameters(query)), ("body", body(endpoint.body)),
      ("answer", answer(endpoint.answers)),
    ]
    return TypeText.object(
      parts.map { TypeText.Member(name: $0.0, isRequired: true, type: $0.1) }, indent: 1)
  }

  private static func parameters(_ parameters: [(String, Bool, JSONSchema)]) -> String {
    guard !parameters.isEmpty else { return TypeText.nothing }
    let members = parameters.map {
      TypeText.Member(name: $0.0, isRequired: $0.1, type: TypeText.spelling(of: $0.2, indent: 3))
    }
    return TypeText.object(members, indent: 2)
  }

  private static func body(_ body: Endpoint.Body) -> String {
    switch body {
    case .none, .stream: TypeText.nothing
    case .json(let schema), .jsonOrFile(let schema, _, _): TypeText.spelling(of: schema, indent: 2)
    }
  }

  private static func answer(_ answers: [Answer]) -> String {
    let schemas = answers.compactMap(\.schema)
    guard !schemas.isEmpty else { return TypeText.nothing }
    return TypeText.union(
      schemas.flatMap { TypeText.alternatives(of: $0, indent: 2) }, indent: 2)
  }
}

/// The spelling of types; `indent` counts the levels of the line on which a type begins.
private enum TypeText {
  struct Member {
    var name: String
    var isRequired: Bool
    var type: String
  }

  static let nothing = "undefined"
  /// A longer union has a line for each alternative.
  private static let unionWidthMax = 80

  static func spelling(of schema: JSONSchema, indent: Int) -> String {
    union(alternatives(of: schema, indent: indent), indent: indent)
  }

  static func alternatives(of schema: JSONSchema, indent: Int) -> [String] {
    switch schema.shape {
    case .anyOf(let parts): parts.flatMap { alternatives(of: $0, indent: indent) }
    case .string(let rule) where !rule.allowed.isEmpty: rule.allowed.map(literal)
    case .string(let rule): [rule.lengthMax == 0 ? literal("") : "string"]
    case .any: ["unknown"]
    case .integer, .number: ["number"]
    case .boolean: ["boolean"]
    case .null: ["null"]
    case .array(let element, _, _): ["Array<\(spelling(of: element, indent: indent))>"]
    case .dictionary(let value): ["Record<string, \(spelling(of: value, indent: indent))>"]
    case .object(let properties):
      [
        object(
          properties.map {
            Member(
              name: $0.name, isRequired: $0.isRequired,
              type: spelling(of: $0.schema, indent: indent + 1))
          }, indent: indent)
      ]
    }
  }

  static func union(_ alternatives: [String], indent: Int) -> String {
    var different: [String] = []
    for alternative in alternatives where !different.contains(alternative) {
      different.append(alternative)
    }
    let line = different.joined(separator: " | ")
    let fits = line.unicodeScalars.count <= unionWidthMax || line.contains("\n")
    guard different.count > 1, !fits else { return line }
    return different.map { "\n\(spaces(indent + 1))| \($0)" }.joined()
  }

  static func object(_ members: [Member], indent: Int) -> String {
    guard !members.isEmpty else { return "{}" }
    let lines = members.map { member in
      let space = member.type.hasPrefix("\n") ? "" : " "
      let mark = member.isRequired ? "" : "?"
      return "\(spaces(indent + 1))\(name(member.name))\(mark):\(space)\(member.type);\n"
    }
    return "{\n\(lines.joined())\(spaces(indent))}"
  }

  static func literal(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }

  private static func name(_ text: String) -> String {
    text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) == nil ? literal(text) : text
  }

  private static func spaces(_ indent: Int) -> String { String(repeating: "  ", count: indent) }
}
