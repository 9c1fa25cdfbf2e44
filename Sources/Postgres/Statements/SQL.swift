/// The text of a statement, in which only key paths of the statement can be interpolated.
///
/// `\(\.emailIndex)` becomes `$1`, and the same path later in the text is `$1` again. Interpolating
/// a value does not compile, and no string made at run time can be included, because the literals
/// are `StaticString`. A fragment shared by several statements is a `StaticString` constant:
/// `\(fragment: Self.visible)`.
package struct SQL<S: Sendable>: ExpressibleByStringInterpolation, Sendable {
  /// The text sent to the server, with parameters as `$1`, `$2`, ….
  package let text: String
  let parameters: [SQLParameter<S>]

  package init(stringLiteral value: StaticString) {
    text = value.description
    parameters = []
  }

  package init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    parameters = stringInterpolation.parameters
  }

  /// The types of the parameters, in the order of their numbers.
  package var parameterTypes: [PostgresType] { parameters.map(\.type) }

  /// Collects the text and numbers the parameters.
  package struct StringInterpolation: StringInterpolationProtocol {
    var text = ""
    var parameters: [SQLParameter<S>] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 3 * interpolationCount)
      parameters.reserveCapacity(interpolationCount)
    }

    package mutating func appendLiteral(_ literal: StaticString) {
      text += literal.description
    }

    /// Appends a parameter: a property of the statement.
    package mutating func appendInterpolation<Value: PostgresValue>(
      _ path: any KeyPath<S, Value> & Sendable
    ) {
      if let known = parameters.firstIndex(where: { $0.path == path }) {
        text += "$\(known + 1)"
        return
      }
      parameters.append(SQLParameter(path))
      text += "$\(parameters.count)"
    }

    /// Appends a fragment shared by several statements.
    package mutating func appendInterpolation(fragment: StaticString) {
      text += fragment.description
    }
  }
}

/// One numbered parameter: its type, and its property in the statement.
struct SQLParameter<S: Sendable>: Sendable {
  let path: any AnyKeyPath & Sendable
  let type: PostgresType
  let bind: @Sendable (borrowing S, inout Parameters) -> Void

  init<Value: PostgresValue>(_ path: any KeyPath<S, Value> & Sendable) {
    self.path = path
    type = Value.postgresType
    bind = { statement, parameters in parameters.append(statement[keyPath: path]) }
  }
}
