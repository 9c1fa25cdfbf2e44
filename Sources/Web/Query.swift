import HTTP

/// The parameters of a query, percent-decoded strictly; names are unique.
package struct Query: Sendable, Equatable {
  /// Why a query is invalid; each case is answered with 400 `Malformed request`.
  package enum Failure: Error, Sendable, Equatable {
    /// A `%` without two hexadecimal digits, a control character, or bytes that are not UTF-8.
    case undecodable
    /// A name is repeated.
    case repeated(String)
    /// More than `parametersMax` parameters.
    case tooMany
  }

  /// Maximum number of parameters of a query.
  package static let parametersMax = 64

  private var pairs: [(name: String, value: String)] = []

  /// No parameters.
  package init() {}

  /// Decodes `a=b&c=d`; `+` is a space, as in browsers; empty parts are skipped.
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

  /// The names in their original order.
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
  /// - Throws: 400 if it can't be decoded or a name is repeated, because programs differ in which
  ///   of two values they use.
  package func decodedQuery() throws(Problem) -> Query? {
    guard let query else { return nil }
    do throws(Query.Failure) {
      return try Query(decoding: query)
    } catch {
      switch error {
      case .undecodable: throw .malformed("The query can't be decoded.")
      case .repeated(let name): throw .malformed("A parameter is repeated.", field: name)
      case .tooMany: throw .malformed("The query has too many parameters.")
      }
    }
  }
}
