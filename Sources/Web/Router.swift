import HTTP

/// A table of routes with its look-up; immutable.
package struct Router: Sendable {
  /// The result of looking up a method and a path.
  package enum Match: Sendable {
    case found(Route, PathParameters)
    /// The path exists with other methods, listed in the format of the Allow field.
    case otherMethod(allow: String)
    case unknownPath
  }

  private enum Segment: Sendable, Hashable {
    case literal([UInt8])
    case parameter(String)
  }

  private struct Row: Sendable {
    var path: [UInt8]
    /// Nil if the pattern has no parameters.
    var segments: [Segment]?
    var route: Route
  }

  /// Literal patterns first.
  private let rows: [Row]

  /// Creates a router over the tables of all parts of a service. Two rows with the same method and
  /// pattern are a programming error and stop the program.
  package init(_ routes: [Route]) {
    let keys = routes.map { "\($0.method.text) \($0.pattern)" }
    precondition(Set(keys).count == keys.count, "two routes have the same method and pattern")
    let all = routes.map { route in
      let path = Array(route.pattern.utf8)
      return Row(
        path: path, segments: path.contains(0x7B) ? Router.segments(route.pattern) : nil,
        route: route)
    }
    rows = all.filter { $0.segments == nil } + all.filter { $0.segments != nil }
  }

  /// The largest body limit of all routes, for the server's own limit.
  package var bodyBytesMax: UInt64 { rows.map(\.route.bodyBytesMax).max() ?? 0 }

  /// Finds the route for a method and a canonical path. HEAD uses the route for GET. Literal
  /// patterns take precedence over those with parameters.
  package func match(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
    var allowed: [HTTPMethod] = []
    // By index, because a copy of each row costs more than comparing it.
    for index in rows.indices {
      guard let parameters = parameters(ofRow: index, path) else { continue }
      let served = rows[index].route.method
      if Router.serves(served, method) { return .found(rows[index].route, parameters) }
      allowed.append(served)
    }
    guard !allowed.isEmpty else { return .unknownPath }
    var names = allowed.map(\.text)
    if allowed.contains(.get) { names.append(HTTPMethod.head.text) }
    return .otherMethod(allow: names.sorted().joined(separator: ", "))
  }

  private static func serves(_ route: HTTPMethod, _ method: HTTPMethod) -> Bool {
    route == method || (route == .get && method == .head)
  }

  private static func segments(_ pattern: String) -> [Segment] {
    pattern.split(separator: "/").map { piece in
      piece.hasPrefix("{") && piece.hasSuffix("}")
        ? .parameter(String(piece.dropFirst().dropLast())) : .literal(Array(piece.utf8))
    }
  }

  private func parameters(ofRow index: Int, _ path: ArraySlice<UInt8>) -> PathParameters? {
    guard let segments = rows[index].segments else {
      return rows[index].path.count == path.count && path.elementsEqual(rows[index].path)
        ? PathParameters() : nil
    }
    let pieces = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    guard pieces.count == segments.count else { return nil }
    var parameters = PathParameters()
    for (piece, segment) in zip(pieces, segments) {
      switch segment {
      case .literal(let text):
        guard piece.elementsEqual(text) else { return nil }
      case .parameter(let name):
        guard !piece.isEmpty, let value = PercentCoding.decode(piece, plusIsSpace: false) else {
          return nil
        }
        parameters.values.append((name, value))
      }
    }
    return parameters
  }
}
