import HTTP
import JSON
import PublicAPI
import Web

/// The API documentation as one self-contained HTML page.
enum DocumentationPage {
  /// The page for the given endpoints, in UTF-8.
  static func bytes(_ endpoints: [Endpoint]) -> [UInt8] {
    var page = opening + contents(endpoints)
    for endpoint in endpoints { page += section(endpoint) }
    return Array((page + "</main></body></html>\n").utf8)
  }

  private static let opening = """
    <!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1"><title>TrackMe API</title>
    <style>
    :root{color-scheme:light dark}
    body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;
    overflow-wrap:anywhere}
    h2{font-size:1.1rem;margin:2rem 0 .25rem;border-top:1px solid #ccc;padding-top:1rem}
    summary{padding:.35rem 0}
    code{font-family:ui-monospace,monospace}
    table{border-collapse:collapse;margin:.5rem 0;width:100%;table-layout:fixed}
    td,th{text-align:left;vertical-align:top;padding:.15rem .75rem .15rem 0}
    td:first-child{width:40%}
    @media(max-width:40rem){tr,td,th{display:block}td:first-child{width:auto;padding-top:.5rem}}
    </style></head><body><main><h1>TrackMe API</h1>
    <p>The token that <code>POST /auth/login</code> answers goes in
    <code>Authorization: Bearer TOKEN</code>. Errors are <code>application/problem+json</code> with
    the text shown here as <code>error</code>. The same as OpenAPI 3.1:
    <a href="/openapi.json">/openapi.json</a>. TrackMe is not a medical device and does not replace
    112.</p>

    """

  /// Links to all endpoints, by the first part of their paths.
  private static func contents(_ endpoints: [Endpoint]) -> String {
    var parts: [(name: String, links: [String])] = []
    for endpoint in endpoints {
      let name = "/" + (endpoint.path.split(separator: "/").first ?? "")
      let text = HTMLText.escaped("\(endpoint.method.text) \(endpoint.path)")
      let link = "<li><a href=\"#\(endpoint.operationID)\"><code>\(text)</code></a></li>\n"
      let index = parts.firstIndex { $0.name == name } ?? parts.endIndex
      if index == parts.endIndex { parts.append((name, [])) }
      parts[index].links.append(link)
    }
    let lists = parts.map { name, links in
      "<details><summary><code>\(name)</code> (\(links.count))</summary>\n"
        + "<ul>\n\(links.joined())</ul></details>\n"
    }
    return "<nav aria-label=\"Endpoints\">\n\(lists.joined())</nav>\n"
  }

  private static func section(_ endpoint: Endpoint) -> String {
    var text = "<h2 id=\"\(endpoint.operationID)\"><code>\(endpoint.method.text) "
    text += "\(HTMLText.escaped(endpoint.path))</code></h2>\n"
    text += "<p>\(prose(endpoint.summary)) "
    text += "<em>\(endpoint.caller.admitted)</em></p>\n"
    text += table("Query", rows: endpoint.query.map(row))
    text += body(endpoint.body)
    for answer in endpoint.answers {
      let fields = answer.schema.map { rows($0, marksRequired: false) } ?? []
      text += table(
        "Answer", rows: [("\(answer.status.code) \(answer.mediaType)", answer.meaning)] + fields)
    }
    let errors = [endpoint.caller.refusal].compactMap(\.self) + endpoint.errors
    text += table("Errors", rows: errors.map { ("\($0.status.code) \($0.error)", $0.meaning) })
    return text
  }

  private static func row(_ parameter: QueryParameter) -> (String, String) {
    (
      parameter.name,
      sentence(parameter.meaning, parameter.kind.schema.phrase, isRequired: parameter.isRequired)
    )
  }

  /// The meaning of a value, its form, and whether it is required.
  private static func sentence(
    _ meaning: String?, _ phrase: String, isRequired: Bool
  ) -> String {
    let shape = "[\(phrase)\(isRequired ? ", required" : "")]"
    return [meaning, shape].compactMap(\.self).joined(separator: " ")
  }

  private static func body(_ body: Endpoint.Body) -> String {
    switch body {
    case .none: return ""
    case .stream(let types, let bytesMax):
      let types = types.joined(separator: ", ")
      return table("Body", rows: [(types, "At most \(bytesMax) bytes, streamed.")])
    case .jsonOrFile(let schema, let types, let bytesMax):
      return Self.body(.json(schema))
        + Self.body(.stream(mediaTypes: types, bytesMax: bytesMax))
    case .json(let schema):
      return table("Body", rows: rows(schema, marksRequired: true))
    }
  }

  /// A row for each field of an object; the rows of nested objects follow, with their paths.
  private static func rows(
    _ schema: JSONSchema, below path: String = "", marksRequired: Bool
  ) -> [(String, String)] {
    switch schema.shape {
    case .object(let properties):
      return properties.flatMap { property in
        let name = path.isEmpty ? property.name : "\(path).\(property.name)"
        let text = sentence(
          property.schema.description, property.schema.phrase,
          isRequired: marksRequired && property.isRequired)
        return [(name, text)]
          + rows(property.schema, below: name, marksRequired: marksRequired)
      }
    case .array(let element, _, _):
      return rows(element, below: "\(path)[]", marksRequired: marksRequired)
    case .any, .string, .integer, .number, .boolean, .null, .dictionary, .anyOf: return []
    }
  }

  /// Escapes a text for HTML; text between backticks becomes a code element.
  private static func prose(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { index, part in
        let escaped = HTMLText.escaped(String(part))
        return index.isMultiple(of: 2) ? escaped : "<code>\(escaped)</code>"
      }
      .joined()
  }

  private static func table(_ title: String, rows: [(String, String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let lines = rows.map {
      "<tr><td><code>\(HTMLText.escaped($0.0))</code></td><td>\(prose($0.1))</td></tr>\n"
    }
    return "<table><tr><th colspan=\"2\">\(title)</th></tr>\n\(lines.joined())</table>\n"
  }
}
