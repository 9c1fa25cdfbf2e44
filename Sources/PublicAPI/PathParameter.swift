import HTTP
import JSON

/// A `{name}` of a path and what stands there.
package struct PathParameter: Sendable {
  /// The name between the braces.
  package let name: String
  /// What a value must look like; the gateway checks it before forwarding.
  package let kind: QueryParameter.Kind
  /// What it means, for a person.
  package let meaning: String

  /// A parameter of a path.
  package init(_ name: String, _ kind: QueryParameter.Kind, _ meaning: String) {
    self.name = name
    self.kind = kind
    self.meaning = meaning
  }
}

extension PathParameter {
  /// Checks a value as it stands in a path.
  ///
  /// Numbers have one spelling, so that two programs can't take two for different ones.
  ///
  /// - Throws: `Problem.malformed` that says what to change, with the parameter's name as field.
  package func check(_ value: String) throws(Problem) {
    if let expected = kind.expectation(unmetBy: value) {
      throw .malformed("The path's \(name) must be \(expected).", field: name)
    }
    guard case .integer = kind, Int(value)?.description != value else { return }
    throw .malformed("Write the path's \(name) without signs and leading zeros.", field: name)
  }
}

extension Endpoint {
  /// Checks the parameters of a path that led here.
  ///
  /// - Throws: `Problem.malformed` for the first that is wrong.
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
