import HTTP
import JSON
import Web

/// A `{name}` segment of a path.
package struct PathParameter: Sendable {
  /// The name between the braces.
  package let name: String
  /// The required format of a value; the gateway validates it before forwarding.
  package let kind: QueryParameter.Kind
  /// The description for the documentation.
  package let meaning: String

  /// Creates a parameter of a path.
  package init(_ name: String, _ kind: QueryParameter.Kind, _ meaning: String) {
    self.name = name
    self.kind = kind
    self.meaning = meaning
  }
}

extension PathParameter {
  /// Validates a value from a path.
  ///
  /// Numbers must have their canonical spelling, so that all programs treat a path in the same way.
  ///
  /// - Throws: `Problem.malformed` with the required correction and the parameter's name as field.
  package func check(_ value: String) throws(Problem) {
    if let expected = kind.expectation(unmetBy: value) {
      throw .malformed("The path's \(name) must be \(expected).", field: name)
    }
    guard case .integer = kind, Int(value)?.description != value else { return }
    throw .malformed("Write the path's \(name) without signs and leading zeros.", field: name)
  }
}

extension Endpoint {
  /// Validates the parameters of a path that matched this endpoint.
  ///
  /// - Throws: `Problem.malformed` for the first invalid parameter.
  package func checkPath(_ path: ArraySlice<UInt8>) throws(Problem) {
    guard !pathParameters.isEmpty else { return }
    let pattern = self.path.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let pieces = path.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (name, piece) in zip(pattern, pieces) {
      guard name.first == UInt8(ascii: "{"),
        let parameter = pathParameters.first(where: { "{\($0.name)}".utf8.elementsEqual(name) })
      else { continue }
      guard let value = PercentCoding.decode(piece, plusIsSpace: false) else {
        throw .malformed("The path's \(parameter.name) can't be decoded.", field: parameter.name)
      }
      try parameter.check(value)
    }
  }
}
