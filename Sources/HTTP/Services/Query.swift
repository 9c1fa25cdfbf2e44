/// The parameters of a query, percent-decoded strictly; no name stands twice.
package struct Query: Sendable, Equatable {
  /// What is wrong with a query; all of it is 400 `Malformed request`.
  package enum Failure: Error, Sendable, Equatable {
    /// A `%` without two hexadecimal digits, a control character, or bytes that are not UTF-8.
    case undecodable
    /// The same name twice.
    case repeated(String)
    /// More than `parametersMax` parameters.
    case tooMany
  }

  /// Parameters of one query at most.
  package static let parametersMax = 64

  private var pairs: [(name: String, value: String)] = []

  /// No parameters.
  package init() {}

  /// Decodes `a=b&c=d`; `+` is a space, as browsers write it; empty pieces are skipped.
  package init(decoding bytes: ArraySlice<UInt8>) throws(Failure) {
    for piece in bytes.split(separator: 0x26) {
      guard pairs.count < Query.parametersMax else { throw .tooMany }
      let equals = piece.firstIndex(of: 0x3D) ?? piece.endIndex
      let name = try Query.decode(piece[..<equals])
      let value = try Query.decode(equals < piece.endIndex ? piece[(equals + 1)...] : [])
      guard self[name] == nil else { throw .repeated(name) }
      pairs.append((name, value))
    }
  }

  /// The value of a parameter, or nil.
  package subscript(_ name: String) -> String? {
    pairs.first { $0.name == name }?.value
  }

  /// The names, in the order they came.
  package var names: [String] { pairs.map(\.name) }

  package static func == (left: Query, right: Query) -> Bool {
    left.pairs.elementsEqual(right.pairs, by: ==)
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
    guard let text = PercentCoding.decode(bytes, plusIsSpace: true) else { throw .undecodable }
    return text
  }
}

extension RequestHead {
  /// The decoded query; nil if there is none.
  ///
  /// - Throws: 400 where it can't be decoded or a name stands twice: two programs could then take
  ///   different values.
  package func decodedQuery() throws(Problem) -> Query? {
    guard let query else { return nil }
    do throws(Query.Failure) {
      return try Query(decoding: query)
    } catch {
      switch error {
      case .undecodable: throw .malformed("The query can't be decoded.")
      case .repeated(let name): throw .malformed("A parameter stands twice.", field: name)
      case .tooMany: throw .malformed("The query has too many parameters.")
      }
    }
  }
}
